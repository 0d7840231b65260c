/**
 * Promotes properties to columns: those that are used frequently, and those that events usually have. Fills these and
 * drops unused ones, in small steps so that writes never wait for long. In a new column every row is pending. The rows themselves say so, since row numbers change at a
 * checkpoint; so an interrupted fill continues at the next start.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { HOUR_MS } from '../../core/time/units.ts';
import type { PromotedProperty, SqlRow } from '../events/event-store.ts';
import type { PropertyRead } from '../events/property-placeholders.ts';
import { findReplaceable, isUnused, isUseStale, MAX_PROMOTED_COLUMNS } from '../events/property-usage.ts';
import { MAX_USUAL_COLUMNS, MIN_EVENTS_FOR_USUAL } from '../events/usual-properties.ts';
import { checkpoint } from './commit.ts';
import { inTransaction } from './in-transaction.ts';
import { columnName, type PromotedColumn, type PromotedColumns, TABLE_OF } from './promoted-columns.ts';
import { isMarkedSql, PENDING_SQL, promotedTextSql } from './promoted-text.ts';
import { jsonPointer } from './read-properties.ts';
import { readUsualProperties } from './read-usual-properties.ts';
import { readNumber } from './schema.ts';

/** About how long writes wait for one step; the number of rows adapts to it. */
const STEP_MS = 100;
const INITIAL_ROWS = 50_000;
/** A step costs about 45 ms for itself with ten million events, however few rows it fills. */
const MIN_ROWS = 20_000;
const MAX_ROWS = 100_000;
/** Changed values stay in memory until a checkpoint. */
const CHECKPOINT_AFTER_ROWS = 400_000;

/** How often it is found out which properties events usually have. */
const SAMPLE_INTERVAL_MS = HOUR_MS;

/** The range of rows to fill. Rows added later are written filled. */
interface Pass {
  column: PromotedColumn;
  at: number;
  end: number;
}

interface PromotionStore {
  writer: DuckDBConnection;
  query(sql: string): Promise<SqlRow[]>;
}

interface PromotionOptions {
  /** The number of events from which on usual properties get columns. */
  minEventsForUsual?: number;
}

export class DuckDbPromotion {
  readonly #columns: PromotedColumns;
  #pass: Pass | null = null;
  #rows = INITIAL_ROWS;
  #rowsSinceCheckpoint = 0;
  readonly #minEventsForUsual: number;
  /** Null until they were found out. */
  #usual: ReadonlySet<string> | null = null;
  #nextSample = Number.NEGATIVE_INFINITY;
  /** How many events there are, not counting deletions since they were last counted; null: not counted yet. */
  #events: number | null = null;

  constructor(columns: PromotedColumns, { minEventsForUsual = MIN_EVENTS_FOR_USUAL }: PromotionOptions = {}) {
    this.#columns = columns;
    this.#minEventsForUsual = minEventsForUsual;
  }

  noteAdded(events: number): void {
    if (this.#events !== null) this.#events += events;
  }

  isDue(now: number): boolean {
    const { all } = this.#columns;
    return (
      this.#isSampleDue(now) ||
      this.#missingUsual() !== undefined ||
      all.some(
        (column) =>
          !column.isReady || this.#isObsolete(column, now) || (isUseStale(column, now) && this.#columns.isUsed(column)),
      ) ||
      (this.#columns.mostRead().length > 0 &&
        (all.length < MAX_PROMOTED_COLUMNS || findReplaceable(all, now) !== undefined))
    );
  }

  /** Does the next piece of work; false if there is none. */
  async step(store: PromotionStore, now: number): Promise<boolean> {
    await this.#saveUses(store.writer, now);
    if (this.#isSampleDue(now)) await this.#sample(store, now);
    const unused = this.#columns.all.find((column) => this.#isObsolete(column, now));
    if (unused !== undefined) return this.#drop(store.writer, unused);
    // All of these before any is filled: events that come meanwhile are written with every column.
    const usual = this.#missingUsual();
    if (usual !== undefined) return this.#promote(store.writer, usual, now);
    const unfilled = this.#columns.all.find(({ isReady }) => !isReady);
    if (unfilled !== undefined) return this.#fill(store, unfilled);
    const wanted = this.#columns.mostRead()[0];
    return wanted === undefined ? false : this.#promote(store.writer, wanted, now);
  }

  #isSampleDue(now: number): boolean {
    if (this.#events === null) return true;
    return this.#events >= this.#minEventsForUsual && now >= this.#nextSample;
  }

  async #sample(store: PromotionStore, now: number): Promise<void> {
    this.#events = await readNumber(store.writer, 'select count(*) from event_rows');
    if (this.#events < this.#minEventsForUsual) return;
    this.#usual = new Set(await readUsualProperties(store.writer, store.query));
    this.#nextSample = now + SAMPLE_INTERVAL_MS;
  }

  /** The most usual property without a column, as long as others have room for theirs. */
  #missingUsual(): PropertyRead | undefined {
    if (this.#usual === null || this.#columns.all.length >= MAX_USUAL_COLUMNS) return undefined;
    const reads = [...this.#usual].map((key): PropertyRead => ({ owner: 'event', key }));
    return reads.find((read) => this.#columns.find(read) === undefined);
  }

  /** Nobody uses it, and it is not one that events usually have. */
  #isObsolete(column: PromotedColumn, now: number): boolean {
    if (!isUnused(column, now)) return false;
    return column.owner === 'person' || this.#usual?.has(column.key) !== true;
  }

  describe(): PromotedProperty[] {
    return this.#columns.all.map((column) => ({
      owner: column.owner,
      key: column.key,
      filled: column.isReady ? 1 : this.#filled(column),
      lastUsed: column.lastUsed,
    }));
  }

  #filled(column: PromotedColumn): number {
    const pass = this.#pass;
    return pass?.column === column && pass.end > 0 ? Math.min(pass.at / pass.end, 0.99) : 0;
  }

  async #saveUses(writer: DuckDBConnection, now: number): Promise<void> {
    for (const column of this.#columns.takeUsed()) {
      if (!isUseStale(column, now)) continue;
      await writer.run('update promoted_columns set last_used = $1 where id = $2', [BigInt(now), column.id]);
      column.lastUsed = now;
    }
  }

  async #promote(writer: DuckDBConnection, { owner, key }: PropertyRead, now: number): Promise<boolean> {
    if (this.#columns.all.length >= MAX_PROMOTED_COLUMNS) {
      const replaced = findReplaceable(this.#columns.all, now);
      return replaced === undefined ? false : this.#drop(writer, replaced);
    }
    const id = (await readNumber(writer, 'select max(id) from promoted_columns')) + 1;
    await inTransaction(writer, async () => {
      await writer.run(
        `alter table ${TABLE_OF[owner]} add column ${columnName({ id })} varchar default ${PENDING_SQL}`,
      );
      await writer.run('insert into promoted_columns values ($1, $2, $3, false, false, $4)', [
        id,
        owner,
        key,
        BigInt(now),
      ]);
    });
    this.#columns.add({ id, owner, key, isReady: false, hasMarks: false, hasSavedMarks: false, lastUsed: now });
    return true;
  }

  /** Removed from memory first, so that no query starts to read it; running ones run again. */
  async #drop(writer: DuckDBConnection, column: PromotedColumn): Promise<boolean> {
    this.#columns.remove(column);
    try {
      await inTransaction(writer, async () => {
        await writer.run(`alter table ${TABLE_OF[column.owner]} drop column ${columnName(column)}`);
        await writer.run('delete from promoted_columns where id = $1', [column.id]);
      });
    } catch (error) {
      this.#columns.restore(column);
      throw error;
    }
    // Columns of earlier versions have a function as default, with which the journal of a drop could not be replayed.
    await this.#checkpoint(writer);
    return true;
  }

  async #fill(store: PromotionStore, column: PromotedColumn): Promise<boolean> {
    if (this.#pass?.column !== column) this.#pass = await beginPass(store.writer, column);
    const pass = this.#pass;
    if (pass.at >= pass.end) return this.#finish(store, column);
    const start = performance.now();
    await fillRows(store.writer, column, pass.at, pass.at + this.#rows);
    pass.at += this.#rows;
    this.#rowsSinceCheckpoint += this.#rows;
    if (this.#rowsSinceCheckpoint >= CHECKPOINT_AFTER_ROWS) await this.#checkpoint(store.writer);
    else this.#rows = nextRows(this.#rows, performance.now() - start);
    return true;
  }

  /** Fails while a query is reading; then a later checkpoint does it. */
  async #checkpoint(writer: DuckDBConnection): Promise<void> {
    this.#rowsSinceCheckpoint = 0;
    await checkpoint(writer).catch(() => undefined);
  }

  /** Ready once no row is pending; if rows have moved meanwhile, another pass finds them. */
  async #finish({ writer, query }: PromotionStore, column: PromotedColumn): Promise<boolean> {
    this.#pass = null;
    const name = columnName(column);
    const [found] = await query(
      `select count(*) filter (where ${name} = ${PENDING_SQL}) as pending,
        count(*) filter (where ${isMarkedSql(name)} and ${name} <> ${PENDING_SQL}) as marked
      from ${TABLE_OF[column.owner]}`,
    );
    if (Number(found?.['pending']) > 0) return true;
    const hasMarks = column.hasMarks || Number(found?.['marked']) > 0;
    await writer.run('update promoted_columns set is_ready = true, has_marks = $1 where id = $2', [
      hasMarks,
      column.id,
    ]);
    Object.assign(column, { hasMarks, hasSavedMarks: hasMarks, isReady: true });
    if (this.#columns.all.every(({ isReady }) => isReady)) await this.#checkpoint(writer);
    return true;
  }
}

async function beginPass(writer: DuckDBConnection, column: PromotedColumn): Promise<Pass> {
  const last = await readNumber(writer, `select coalesce(max(rowid), -1) from ${TABLE_OF[column.owner]}`);
  return { column, at: 0, end: last + 1 };
}

async function fillRows(writer: DuckDBConnection, column: PromotedColumn, from: number, until: number): Promise<void> {
  const name = columnName(column);
  await writer.run(
    `update ${TABLE_OF[column.owner]} set ${name} = ${promotedTextSql('properties', '$1')}
    where rowid >= $2 and rowid < $3 and ${name} = ${PENDING_SQL}`,
    [jsonPointer(column.key), BigInt(from), BigInt(until)],
  );
}

const nextRows = (rows: number, tookMs: number): number =>
  Math.round(Math.max(MIN_ROWS, Math.min(MAX_ROWS, rows * Math.max(0.25, Math.min(2, STEP_MS / tookMs)))));
