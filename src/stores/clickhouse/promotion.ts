/**
 * Gives properties that are asked for a column of their own, and takes it away again. ClickHouse works such a column out
 * by itself, for new rows as they come and for old ones when it is told to; until then it reads them from the JSON. So
 * a column is right from its first moment, and it is read once that pays.
 *
 * What there is stands in notes, since several processes ask. One of them makes the columns, and is told by the others
 * what questions read there (`takeReads`, `recordReads`). Whoever reads a column that another has taken away hears
 * of it from ClickHouse, looks at the notes again and asks once more.
 */
import type { PromotedProperty } from '../events/event-store.ts';
import type { ColumnOwner, PropertyRead, PropertyReading } from '../events/property-placeholders.ts';
import {
  findReplaceable,
  isUnused,
  isUseStale,
  MAX_PROMOTED_COLUMNS,
  type PropertyReadCount,
  PropertyUsage,
} from '../events/property-usage.ts';
import type { ClickHouseConnection } from './connection.ts';
import type { StoreNotes } from './keyed-notes.ts';
import { clickhousePromotedProperty } from './property-sql.ts';
import {
  addColumnStatements,
  dropColumnStatements,
  mutableTable,
  systemTable,
  type Topology,
  viewStatements,
} from './schema.ts';

type State = 'filling' | 'ready' | 'going';

interface Column extends PropertyRead {
  readonly id: number;
  state: State;
  lastUsed: number;
}

const PREFIX = 'promoted/';
const LAST = 'promoted_last';

const nameOf = ({ id }: Pick<Column, 'id'>): string => `promoted_${id}`;
const noteOf = ({ id }: Pick<Column, 'id'>): string => PREFIX + String(id).padStart(8, '0');
const tableOf = (owner: ColumnOwner) => (owner === 'event' ? 'event_rows' : 'person_versions');

export class ClickHousePromotion {
  readonly #connection: ClickHouseConnection;
  readonly #notes: StoreNotes;
  readonly #place: Topology;
  readonly #demand = new PropertyUsage();
  /** What was read here since the last `takeReads`. */
  readonly #untold = new PropertyUsage();
  readonly #used = new Set<string>();
  /** Those whose filling this process has begun, or seen under way. */
  readonly #begun = new Map<number, number>();
  #columns: Column[] = [];

  constructor(connection: ClickHouseConnection, notes: StoreNotes, place: Topology) {
    this.#connection = connection;
    this.#notes = notes;
    this.#place = place;
  }

  async load(): Promise<void> {
    const notes = await this.#notes.read(PREFIX);
    this.#columns = [...notes].map(([name, value]) => ({
      id: Number(name.slice(PREFIX.length)),
      ...(JSON.parse(value) as Omit<Column, 'id'>),
    }));
    // Another process may have made one, or this one may not have known.
    for (const column of this.#columns) if (this.#demand.remove(column)) this.#used.add(noteOf(column));
  }

  /** The column to read a property from; undefined where there is none. */
  columnSql(reading: PropertyReading, read: PropertyRead, prefix: string): string | undefined {
    const column = this.#find(read);
    return column?.state === 'ready' ? clickhousePromotedProperty(reading, prefix + nameOf(column)) : undefined;
  }

  /** Takes down that a statement reads these. */
  recordOwnReads(reads: readonly PropertyRead[]): void {
    for (const read of reads) this.#untold.add(read);
    this.recordReads(reads.map((read) => ({ ...read, statements: 1 })));
  }

  recordReads(reads: readonly PropertyReadCount[]): void {
    for (const read of reads) {
      const column = this.#find(read);
      if (column === undefined) this.#demand.add(read, read.statements);
      else this.#used.add(noteOf(column));
    }
  }

  takeReads(): PropertyReadCount[] {
    return this.#untold.drain();
  }

  #find = ({ owner, key }: PropertyRead): Column | undefined =>
    this.#columns.find((column) => column.key === key && column.owner === owner);

  isDue(now: number): boolean {
    const all = this.#columns;
    return (
      all.some((one) => one.state !== 'ready' || isUnused(one, now) || (isUseStale(one, now) && this.#isUsed(one))) ||
      (this.#demand.mostRead().length > 0 &&
        (all.length < MAX_PROMOTED_COLUMNS || findReplaceable(all, now) !== undefined))
    );
  }

  #isUsed = (column: Column): boolean => this.#used.has(noteOf(column));

  /** Does the next thing that is to be done; false when there is none, or when it only takes its time. */
  async step(now: number): Promise<boolean> {
    await this.load();
    await this.#saveUses(now);
    const going = this.#columns.find((one) => one.state === 'going' || isUnused(one, now));
    if (going !== undefined) return this.#drop(going);
    const filling = this.#columns.find(({ state }) => state === 'filling');
    if (filling !== undefined) return this.#fill(filling);
    const wanted = this.#demand.mostRead().find((read) => this.#find(read) === undefined);
    return wanted === undefined ? false : this.#promote(wanted, now);
  }

  describe(): PromotedProperty[] {
    return this.#columns.map(({ id, owner, key, state, lastUsed }) => ({
      owner,
      key,
      filled: state === 'ready' ? 1 : (this.#begun.get(id) ?? 0),
      lastUsed,
    }));
  }

  async #saveUses(now: number): Promise<void> {
    for (const column of this.#columns) {
      if (!this.#isUsed(column) || !isUseStale(column, now)) continue;
      await this.#save({ ...column, lastUsed: now });
    }
    this.#used.clear();
  }

  async #save(column: Column): Promise<void> {
    const { id, ...rest } = column;
    await this.#notes.write({ [noteOf(column)]: JSON.stringify(rest) });
    this.#columns = [...this.#columns.filter((one) => one.id !== id), column].sort((a, b) => a.id - b.id);
  }

  /** The note comes first: a number that was once given away is never given to another property. */
  async #promote({ owner, key }: PropertyRead, now: number): Promise<boolean> {
    if (this.#columns.length >= MAX_PROMOTED_COLUMNS) {
      const rested = findReplaceable(this.#columns, now);
      return rested === undefined ? false : this.#drop(rested);
    }
    const id = (await this.#notes.readNumber(LAST)) + 1;
    await this.#notes.write({ [LAST]: id });
    this.#demand.remove({ owner, key });
    await this.#save({ id, owner, key, state: 'filling', lastUsed: now });
    return true;
  }

  /** Every part of it may be repeated, by whomever. */
  async #fill(column: Column): Promise<boolean> {
    const table = tableOf(column.owner);
    if (!this.#begun.has(column.id)) {
      for (const sql of addColumnStatements(this.#place, table, nameOf(column), column.key))
        await this.#connection.run(sql);
      await this.#replaceViews();
      const materialize = `alter table ${mutableTable(this.#place, table)} materialize column ${nameOf(column)}`;
      if ((await this.#leftToFill(column)) === null) await this.#connection.startMutation(materialize);
      this.#begun.set(column.id, 0);
      return true;
    }
    const left = await this.#leftToFill(column);
    this.#begun.set(column.id, left === null ? 0 : 1 / (1 + left));
    if (left !== 0) return false;
    await this.#save({ ...column, state: 'ready' });
    this.#begun.delete(column.id);
    return true;
  }

  /** Parts of the table that have no such column yet; null where nobody has begun. */
  async #leftToFill(column: Column): Promise<number | null> {
    const [row] = await this.#connection.queryConsistent(
      `select count(*) as n, sum(if(is_done, 0, greatest(parts_to_do, 1))) as left
      from ${systemTable(this.#place, 'mutations')}
      where database = $1 and endsWith(command, $2)`,
      [this.#connection.database, `MATERIALIZE COLUMN ${nameOf(column)})`],
    );
    return Number(row?.['n'] ?? 0) === 0 ? null : Number(row?.['left'] ?? 0);
  }

  async #replaceViews(): Promise<void> {
    const of = (owner: ColumnOwner): string[] =>
      this.#columns.filter((one) => one.owner === owner && one.state !== 'going').map(nameOf);
    for (const sql of viewStatements(this.#place, { event: of('event'), person: of('person') }))
      await this.#connection.run(sql);
  }

  /** Forgotten before it goes: from then on nobody begins to read it. */
  async #drop(column: Column): Promise<boolean> {
    await this.#save({ ...column, state: 'going' });
    await this.#replaceViews();
    for (const sql of dropColumnStatements(this.#place, tableOf(column.owner), nameOf(column)))
      await this.#connection.run(sql);
    await this.#notes.delete(noteOf(column));
    this.#columns = this.#columns.filter(({ id }) => id !== column.id);
    return true;
  }
}
