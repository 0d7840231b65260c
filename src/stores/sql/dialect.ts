/**
 * What differs between SQLite and PostgreSQL. Everything else is written once, with Kysely. To keep this small, times are
 * integers (ms UTC), JSON and UUIDs are text, booleans are 0 and 1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';

export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** The lock for migrations; taken first in each migration's transaction. */
  lockForMigration(db: Kysely<unknown>): Promise<void>;
  /** Locks until the transaction ends. */
  lock<T>(db: Kysely<T>, what: WriteLock): Promise<void>;
  /**
   * True if chunks are written concurrently: then each locks the stripes, persons and groups it changes. Rows that all
   * chunks share are written in the order of their keys, to avoid deadlocks.
   */
  readonly hasConcurrentChunks: boolean;
  /** True if every statement is a network round trip. */
  readonly isRemote: boolean;
  /** True if the database generates `persons.email`; otherwise we write it. */
  readonly generatesEmails: boolean;
  /** Locks stripes, given in ascending order, until the transaction ends. */
  lockStripes<T>(db: Kysely<T>, kind: StripeKind, stripes: readonly number[]): Promise<void>;
  /** Added to a select whose rows must not be deleted before the transaction ends. */
  readonly keyShareLock: RawBuilder<unknown>;
  /** Type of a column that increments automatically and never reuses a number. */
  readonly autoIncrementType: 'integer' | 'bigserial';
  autoIncrement(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** For integers that may exceed 32 bits. */
  readonly bigIntegerType: 'integer' | 'bigint';
  readonly bytesType: 'blob' | 'bytea';
  /**
   * A table expression over rows that are bound as one JSON value, so that a statement is prepared once for any number of
   * rows.
   */
  rows(columns: Readonly<Record<string, RowType>>, rows: readonly object[]): RawBuilder<unknown>;
  /** A bound text with an explicit type; compares by bytes, as columns do. */
  text(value: string): RawBuilder<string>;
  /** The JSON text of a top-level key; null if absent. The key must not contain quotes or backslashes. */
  jsonValue(text: RawBuilder<unknown>, key: string): RawBuilder<unknown>;
  /** True if `text` contains `part`, case-sensitive. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<unknown>;
  /** The keys of a JSON object and its values as JSON text, as a table to join with. */
  jsonEntries(json: RawBuilder<unknown>, alias: string): JsonEntries;
  /** The number of this transaction's change of persons. */
  nextChange<T>(db: Kysely<T>): Promise<number>;
  /** All changes up to this number are committed. */
  settledChange<T>(db: Kysely<T>): Promise<number>;
  /**
   * A transaction that only moves data from one place to another. It does not wait for the disk: a power cut may undo it
   * as a whole, unless a later transaction has waited.
   */
  reorganize<T, R>(db: Kysely<T>, work: (tx: Kysely<T>) => Promise<R>): Promise<R>;
  /** Gives free space back to the file system, a small piece at a time; true if there is more. */
  releaseSpace<T>(db: Kysely<T>): Promise<boolean>;
  /** Leaves no byte of removed data on disk. */
  purge<T>(db: Kysely<T>): Promise<void>;
}

/**
 * 'alone' excludes all other writers; 'chunk' is shared by chunks, which lock among themselves what they change; 'index'
 * is for the writer of the person index, 'seen' for whoever writes blocks of seen ids.
 */
export type WriteLock = 'alone' | 'chunk' | 'index' | 'seen';
export type StripeKind = 'ids' | 'groups';

interface JsonEntries {
  from: RawBuilder<unknown>;
  key: RawBuilder<string>;
  value: RawBuilder<string>;
}

/** Free pages that stay, for what comes next: this many, or a part of all pages. */
const KEPT_PAGES = 250;
const KEPT_SHARE = 0.05;
/** Pages that are released at a time: two megabytes. */
const RELEASED_PAGES = 500;

const MAX_CHECKPOINT_TRIES = 200;
const CHECKPOINT_INTERVAL_MS = 10;

export type RowType = 'text' | 'integer';

/** A table expression over ids. */
export const idRows = (dialect: SqlDialect, ids: readonly number[]): RawBuilder<unknown> =>
  dialect.rows(
    { id: 'integer' },
    ids.map((id) => ({ id })),
  );

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  // 'begin immediate' of each transaction is the lock (see sqlite/driver.ts).
  lockForMigration: async () => {},
  lock: async () => {},
  hasConcurrentChunks: false,
  isRemote: false,
  generatesEmails: false,
  lockStripes: async () => {},
  keyShareLock: sql``,
  autoIncrementType: 'integer',
  autoIncrement: (column) => column.primaryKey().autoIncrement(),
  bigIntegerType: 'integer',
  bytesType: 'blob',
  rows(columns, rows) {
    const picks = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.id(name)}`);
    return sql`(select ${sql.join(picks)} from json_each(${JSON.stringify(rows)}))`;
  },
  text: (value) => sql`cast(${value} as text)`,
  // Quoted, since dots, brackets and dollar signs have a meaning in paths.
  jsonValue: (text, key) => sql`${text} -> ${`$."${key}"`}`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  jsonEntries(json, alias) {
    const of = (column: string) => sql.ref<string>(`${alias}.${column}`);
    return {
      from: sql`json_each(${json}) as ${sql.table(alias)}`,
      key: of('key'),
      value: sql`case
        when ${of('type')} in ('object', 'array') then ${of('value')}
        when ${of('type')} in ('true', 'false', 'null') then ${of('type')}
        else json_quote(${of('value')})
      end`,
    };
  },
  // There is one writer at a time, so every number that can be read is committed.
  async nextChange(db) {
    const { rows } = await sql<{ change: number }>`
      update person_change set change = change + 1 returning change`.execute(db);
    return Number(rows[0]?.change);
  },
  async settledChange(db) {
    const { rows } = await sql<{ change: number }>`select change from person_change`.execute(db);
    return Number(rows[0]?.change);
  },
  reorganize: (db, work) =>
    db.connection().execute(async (connection) => {
      await sql`pragma synchronous = normal`.execute(connection);
      try {
        return await connection.transaction().execute(work);
      } finally {
        await sql`pragma synchronous = full`.execute(connection);
      }
    }),
  // In files that an earlier version has created, it has no effect until they are rewritten by a purge.
  async releaseSpace(db) {
    const { rows } = await sql<{ free: number; pages: number }>`
      select f.freelist_count as free, p.page_count as pages
      from pragma_freelist_count f, pragma_page_count p, pragma_auto_vacuum a where a.auto_vacuum > 0`.execute(db);
    const [{ free, pages } = { free: 0, pages: 0 }] = rows;
    const surplus = Math.floor(free - Math.max(KEPT_PAGES, pages * KEPT_SHARE));
    if (surplus > 0) {
      await sql`pragma incremental_vacuum(${sql.lit(Math.min(surplus, RELEASED_PAGES))})`.execute(db);
      return true;
    }
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
    return false;
  },
  // 'secure_delete' is not enough: pages that were split keep copies of old rows. The journal cannot be truncated while
  // it is being read, which never takes long.
  async purge(db) {
    await db.connection().execute(async (connection) => {
      await sql`pragma auto_vacuum = incremental`.execute(connection);
      await sql`vacuum`.execute(connection);
    });
    for (let tries = 0; ; tries++) {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
      if (rows[0]?.busy === 0) return;
      if (tries === MAX_CHECKPOINT_TRIES)
        throw new Error('The journal of the database could not be truncated: it is in use.');
      await sleep(CHECKPOINT_INTERVAL_MS);
    }
  },
};
