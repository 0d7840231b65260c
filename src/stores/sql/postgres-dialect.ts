/** What PostgreSQL wants said differently from SQLite. See `dialect.ts` for what each of these means. */
import { type RawBuilder, sql } from 'kysely';
import type { RowType, SqlDialect } from './dialect.ts';

/** Numbers of our advisory locks; nobody else in this database takes any. */
export const LOCKS = { migration: 7_201, shelf: 7_202 } as const;

const TYPES: Readonly<Record<RowType, string>> = { text: 'text', integer: 'bigint' };

/**
 * JSON that PostgreSQL can look into. It keeps any JSON as text, but refuses to read one that holds an escaped NUL or
 * half of a surrogate pair: these are read as U+FFFD. After an even number of backslashes a `u` is no escape; whole
 * pairs are never escaped in what we write.
 */
export const readableJson = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`(case
  when strpos(${text}, '\\u') = 0 then ${text}
  else regexp_replace(${text}, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F]..)', '\\1\\\\ufffd', 'g')
end)::json`;

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  async lockForMigration(db) {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCKS.migration)})`.execute(db);
  },
  async lockShelf(db, alone) {
    const lock = sql.raw(alone ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
    await sql`select ${lock}(${sql.lit(LOCKS.shelf)})`.execute(db);
  },
  countingType: 'bigserial',
  counting: (column) => column.primaryKey(),
  bigInteger: 'bigint',
  bytes: 'bytea',
  rows(columns, rows) {
    const names = Object.keys(columns);
    // Raw, because these are keys of JSON: the plugin for names of columns must leave them alone.
    const fields = Object.entries(columns).map(([name, type]) => sql.raw(`"${name}" ${TYPES[type]}`));
    const picks = names.map((name) => sql`${sql.raw(`j."${name}"`)} as ${sql.id(name)}`);
    return sql`(select ${sql.join(picks)}
      from (select cast(${JSON.stringify(rows)} as text) as given) g
      cross join lateral json_to_recordset(${readableJson(sql`g.given`)}) as j(${sql.join(fields)}))`;
  },
  text: (value) => sql`(cast(${value} as text) collate "C")`,
  jsonValue: (text, key) => sql`(${readableJson(text)} -> cast(${key} as text))::text`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  entries(json, alias) {
    const of = (column: string) => sql.ref<string>(`${alias}.${column}`);
    return {
      from: sql`lateral json_each(${readableJson(json)}) as ${sql.table(alias)}`,
      key: sql`${of('key')} collate "C"`,
      value: sql`${of('value')}::text collate "C"`,
    };
  },
  // What was removed is gone for every query at once; its bytes go with the vacuum that PostgreSQL does by itself, and
  // with the turn of its journal. To write whole tables afresh would lock everybody out.
  scrub: async () => {},
};
