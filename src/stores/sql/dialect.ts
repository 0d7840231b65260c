/**
 * The few places where SQLite and PostgreSQL want different words. Everything else is written once, with Kysely.
 *
 * To need as few as possible: times are integers (ms UTC), JSON is text, booleans are 0 and 1, UUIDs are text.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';

export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** Takes the lock under which migrations run; called first in each migration's transaction. */
  lockForMigration(db: Kysely<unknown>): Promise<void>;
  /** Takes a lock that the transaction keeps until it ends. */
  lock<T>(db: Kysely<T>, what: WriteLock): Promise<void>;
  /**
   * True where chunks are written side by side: then each locks the stripes, persons and groups that it touches. What
   * they all share is written in the order of its keys, so that nobody waits in a circle.
   */
  readonly hasConcurrentChunks: boolean;
  /** True where the engine is another process, and every statement a journey. */
  readonly isRemote: boolean;
  /** Takes stripes of one kind, for as long as the transaction lasts; they are given in ascending order. */
  lockStripes<T>(db: Kysely<T>, kind: StripeKind, stripes: readonly number[]): Promise<void>;
  /** Said of rows that must not go away before what is written about them. */
  readonly keyShareLock: RawBuilder<unknown>;
  /** Type of a column that counts up by itself and never gives a number twice. */
  readonly autoIncrementType: 'integer' | 'bigserial';
  autoIncrement(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Type of an integer that may exceed 32 bits. */
  readonly bigIntegerType: 'integer' | 'bigint';
  readonly bytesType: 'blob' | 'bytea';
  /**
   * Many rows as one bound value: a table expression over JSON, to select from, join with or insert. One statement
   * with one value is prepared once and serves any number of rows.
   */
  rows(columns: Readonly<Record<string, RowType>>, rows: readonly object[]): RawBuilder<unknown>;
  /** A bound text where nothing else says that it is one; it compares by its bytes, as columns do. */
  text(value: string): RawBuilder<string>;
  /** The JSON text of a top-level value of JSON text; null where it is absent. The key has no quotes or backslashes. */
  jsonValue(text: RawBuilder<unknown>, key: string): RawBuilder<unknown>;
  /** True where `text` contains `part`, letter for letter. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<unknown>;
  /** What an object of JSON holds, as a table to join with: its keys, and its values as JSON text. */
  jsonEntries(json: RawBuilder<unknown>, alias: string): JsonEntries;
  /** The next number of the changes of persons; it belongs to this transaction. */
  nextChange<T>(db: Kysely<T>): Promise<number>;
  /** The last number up to which every change can be read, and none is still to come. */
  settledChange<T>(db: Kysely<T>): Promise<number>;
  /** Leaves no byte on disk of what was removed. */
  purge<T>(db: Kysely<T>): Promise<void>;
}

/**
 * 'alone' keeps every other writer of the shelf out; chunks share it ('chunk') and settle among themselves what each of
 * them touches; 'index' is for the one who writes the index of persons.
 */
export type WriteLock = 'alone' | 'chunk' | 'index';
export type StripeKind = 'ids' | 'groups';

interface JsonEntries {
  from: RawBuilder<unknown>;
  key: RawBuilder<string>;
  value: RawBuilder<string>;
}

const MAX_CHECKPOINT_TRIES = 200;
const CHECKPOINT_INTERVAL_MS = 10;

export type RowType = 'text' | 'integer';

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  // Every transaction begins with 'begin immediate' (see sqlite/driver.ts), and that is the lock.
  lockForMigration: async () => {},
  lock: async () => {},
  hasConcurrentChunks: false,
  isRemote: false,
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
  // Without the quotes a dot, a bracket or a dollar sign would mean something.
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
  // Whoever has raised the number holds it until they commit: so when it can be read, everything up to it can be read.
  async nextChange(db) {
    const { rows } = await sql<{ change: number }>`
      update person_change set change = change + 1 returning change`.execute(db);
    return Number(rows[0]?.change);
  },
  async settledChange(db) {
    const { rows } = await sql<{ change: number }>`select change from person_change`.execute(db);
    return Number(rows[0]?.change);
  },
  // 'secure_delete' would not do: pages that were split before keep copies of rows that lay there once. The checkpoint
  // cannot cut the journal while somebody reads; they never do so for long.
  async purge(db) {
    await sql`vacuum`.execute(db);
    for (let tries = 0; ; tries++) {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
      if (rows[0]?.busy === 0) return;
      if (tries === MAX_CHECKPOINT_TRIES)
        throw new Error('The journal of the database could not be cut: it is being read.');
      await sleep(CHECKPOINT_INTERVAL_MS);
    }
  },
};
