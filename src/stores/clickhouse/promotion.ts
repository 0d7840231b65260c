/**
 * Promotes frequently used properties to columns and drops unused ones. ClickHouse computes such a column itself: for new
 * rows at insert, for old ones on request, and until then on read. So a column is correct at once, and used when it is
 * filled.
 *
 * The columns are listed in notes, since several processes query. One of them manages the columns and gets the reads of
 * the others (`takeReads`, `recordReads`). A query that fails because of a dropped column reloads the notes and runs again.
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
  readonly #topology: Topology;
  readonly #usage = new PropertyUsage();
  /** Reads since the last `takeReads`. */
  readonly #unreported = new PropertyUsage();
  readonly #used = new Set<string>();
  /** Progress of the columns that are being filled, by id. */
  readonly #progress = new Map<number, number>();
  #columns: Column[] = [];

  constructor(connection: ClickHouseConnection, notes: StoreNotes, topology: Topology) {
    this.#connection = connection;
    this.#notes = notes;
    this.#topology = topology;
  }

  async load(): Promise<void> {
    const notes = await this.#notes.read(PREFIX);
    this.#columns = [...notes].map(([name, value]) => ({
      id: Number(name.slice(PREFIX.length)),
      ...(JSON.parse(value) as Omit<Column, 'id'>),
    }));
    // Another process may have added a column.
    for (const column of this.#columns) if (this.#usage.remove(column)) this.#used.add(noteOf(column));
  }

  columnSql(reading: PropertyReading, read: PropertyRead, prefix: string): string | undefined {
    const column = this.#find(read);
    return column?.state === 'ready' ? clickhousePromotedProperty(reading, prefix + nameOf(column)) : undefined;
  }

  /** Counts the reads of a statement of this process. */
  recordOwnReads(reads: readonly PropertyRead[]): void {
    for (const read of reads) this.#unreported.add(read);
    this.recordReads(reads.map((read) => ({ ...read, statements: 1 })));
  }

  recordReads(reads: readonly PropertyReadCount[]): void {
    for (const read of reads) {
      const column = this.#find(read);
      if (column === undefined) this.#usage.add(read, read.statements);
      else this.#used.add(noteOf(column));
    }
  }

  takeReads(): PropertyReadCount[] {
    return this.#unreported.drain();
  }

  #find = ({ owner, key }: PropertyRead): Column | undefined =>
    this.#columns.find((column) => column.key === key && column.owner === owner);

  isDue(now: number): boolean {
    const all = this.#columns;
    return (
      all.some((one) => one.state !== 'ready' || isUnused(one, now) || (isUseStale(one, now) && this.#isUsed(one))) ||
      (this.#usage.mostRead().length > 0 &&
        (all.length < MAX_PROMOTED_COLUMNS || findReplaceable(all, now) !== undefined))
    );
  }

  #isUsed = (column: Column): boolean => this.#used.has(noteOf(column));

  /** Does the next piece of work; false if there is none, or if it only has to wait. */
  async step(now: number): Promise<boolean> {
    await this.load();
    await this.#saveUses(now);
    const obsolete = this.#columns.find((one) => one.state === 'going' || isUnused(one, now));
    if (obsolete !== undefined) return this.#drop(obsolete);
    const filling = this.#columns.find(({ state }) => state === 'filling');
    if (filling !== undefined) return this.#fill(filling);
    const wanted = this.#usage.mostRead().find((read) => this.#find(read) === undefined);
    return wanted === undefined ? false : this.#promote(wanted, now);
  }

  describe(): PromotedProperty[] {
    return this.#columns.map(({ id, owner, key, state, lastUsed }) => ({
      owner,
      key,
      filled: state === 'ready' ? 1 : (this.#progress.get(id) ?? 0),
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

  /** Writes the note first: an id is never reused for another property. */
  async #promote({ owner, key }: PropertyRead, now: number): Promise<boolean> {
    if (this.#columns.length >= MAX_PROMOTED_COLUMNS) {
      const replaced = findReplaceable(this.#columns, now);
      return replaced === undefined ? false : this.#drop(replaced);
    }
    const id = (await this.#notes.readNumber(LAST)) + 1;
    await this.#notes.write({ [LAST]: id });
    this.#usage.remove({ owner, key });
    await this.#save({ id, owner, key, state: 'filling', lastUsed: now });
    return true;
  }

  /** Every step is repeatable, also by another process. */
  async #fill(column: Column): Promise<boolean> {
    const table = tableOf(column.owner);
    if (!this.#progress.has(column.id)) {
      for (const sql of addColumnStatements(this.#topology, table, nameOf(column), column.key))
        await this.#connection.run(sql);
      await this.#replaceViews();
      const materialize = `alter table ${mutableTable(this.#topology, table)} materialize column ${nameOf(column)}`;
      if ((await this.#leftToFill(column)) === null) await this.#connection.startMutation(materialize);
      this.#progress.set(column.id, 0);
      return true;
    }
    const left = await this.#leftToFill(column);
    this.#progress.set(column.id, left === null ? 0 : 1 / (1 + left));
    if (left !== 0) return false;
    await this.#save({ ...column, state: 'ready' });
    this.#progress.delete(column.id);
    return true;
  }

  /** Parts of the table that are not filled yet; null if the filling has not started. */
  async #leftToFill(column: Column): Promise<number | null> {
    const [row] = await this.#connection.queryConsistent(
      `select count(*) as n, sum(if(is_done, 0, greatest(parts_to_do, 1))) as left
      from ${systemTable(this.#topology, 'mutations')}
      where database = $1 and endsWith(command, $2)`,
      [this.#connection.database, `MATERIALIZE COLUMN ${nameOf(column)})`],
    );
    return Number(row?.['n'] ?? 0) === 0 ? null : Number(row?.['left'] ?? 0);
  }

  async #replaceViews(): Promise<void> {
    const of = (owner: ColumnOwner): string[] =>
      this.#columns.filter((one) => one.owner === owner && one.state !== 'going').map(nameOf);
    for (const sql of viewStatements(this.#topology, { event: of('event'), person: of('person') }))
      await this.#connection.run(sql);
  }

  /** Marked first, so that no query starts to read it. */
  async #drop(column: Column): Promise<boolean> {
    await this.#save({ ...column, state: 'going' });
    await this.#replaceViews();
    for (const sql of dropColumnStatements(this.#topology, tableOf(column.owner), nameOf(column)))
      await this.#connection.run(sql);
    await this.#notes.delete(noteOf(column));
    this.#columns = this.#columns.filter(({ id }) => id !== column.id);
    return true;
  }
}
