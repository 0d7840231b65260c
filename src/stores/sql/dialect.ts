/**
 * The few places where SQLite and PostgreSQL want different words. Everything else is written once, with Kysely.
 *
 * To need as few as possible: times are integers (ms UTC), JSON is text, booleans are 0 and 1, UUIDs are text.
 */
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';

export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** Takes the lock under which migrations run; called first in each migration's transaction. */
  lockForMigration(db: Kysely<unknown>): Promise<void>;
  /** Type of a column that counts up by itself and never gives a number twice. */
  readonly countingType: 'integer' | 'bigserial';
  counting(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Type of an integer that may exceed 32 bits. */
  readonly bigInteger: 'integer' | 'bigint';
  /**
   * Many rows as one bound value: a table expression over JSON, to select from, join with or insert. One statement
   * with one value is prepared once and serves any number of rows.
   */
  rows(columns: Readonly<Record<string, RowType>>, rows: readonly object[]): RawBuilder<unknown>;
  /** The JSON text of a top-level value of JSON text; null where it is absent. The key has no quotes or backslashes. */
  jsonValue(text: RawBuilder<unknown>, key: string): RawBuilder<unknown>;
  /** True where `text` contains `part`, letter for letter. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<unknown>;
}

export type RowType = 'text' | 'integer';

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  // Every transaction begins with 'begin immediate' (see sqlite/driver.ts), and that is the lock.
  lockForMigration: async () => {},
  countingType: 'integer',
  counting: (column) => column.primaryKey().autoIncrement(),
  bigInteger: 'integer',
  rows(columns, rows) {
    const picks = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.id(name)}`);
    return sql`(select ${sql.join(picks)} from json_each(${JSON.stringify(rows)}))`;
  },
  // Without the quotes a dot, a bracket or a dollar sign would mean something.
  jsonValue: (text, key) => sql`${text} -> ${`$."${key}"`}`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
};
