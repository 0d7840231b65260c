/** What PostgreSQL wants said differently from SQLite. See `dialect.ts` for what each of these means. */
import { type RawBuilder, sql } from 'kysely';
import type { RowType, SqlDialect, StripeKind, WriteLock } from './dialect.ts';

/** Numbers of our advisory locks; nobody else in this database takes any. */
const LOCKS = { migration: 7_201, shelf: 7_202, index: 7_203 } as const;
/** Stripes are locked by two numbers: these, and their own. */
const STRIPE_LOCKS: Readonly<Record<StripeKind, number>> = { ids: 7_211, groups: 7_212 };
const WRITE_LOCKS: Readonly<Record<WriteLock, string>> = {
  alone: `pg_advisory_xact_lock(${LOCKS.shelf})`,
  chunk: `pg_advisory_xact_lock_shared(${LOCKS.shelf})`,
  index: `pg_advisory_xact_lock(${LOCKS.index})`,
};

/** Announced changes of persons: the upper 16 of 64 bits are this, the others the number of a change. */
const CHANGE_LOCK_CLASS = 7_221;
const CHANGE_LOCKS = BigInt(CHANGE_LOCK_CLASS) << 48n;

const TYPES: Readonly<Record<RowType, string>> = { text: 'text', integer: 'bigint' };

/**
 * JSON that PostgreSQL can look into. It keeps any JSON as text, but refuses to read one that holds an escaped NUL or
 * half of a surrogate pair: these are read as U+FFFD. After an even number of backslashes a `u` is no escape; whole
 * pairs are never escaped in what we write.
 */
export const readableJsonSql = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`(case
  when strpos(${text}, '\\u') = 0 then ${text}
  else regexp_replace(${text}, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F]..)', '\\1\\\\ufffd', 'g')
end)::json`;

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  async lockForMigration(db) {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCKS.migration)})`.execute(db);
  },
  async lock(db, what) {
    await sql`select ${sql.raw(WRITE_LOCKS[what])}`.execute(db);
  },
  hasConcurrentChunks: true,
  isRemote: true,
  async lockStripes(db, kind, stripes) {
    if (stripes.length === 0) return;
    await sql`select pg_advisory_xact_lock(${sql.lit(STRIPE_LOCKS[kind])}, s.stripe)
      from unnest(cast(${stripes} as int[])) as s(stripe)`.execute(db);
  },
  keyShareLock: sql`for key share of p`,
  autoIncrementType: 'bigserial',
  autoIncrement: (column) => column.primaryKey(),
  bigIntegerType: 'bigint',
  bytesType: 'bytea',
  rows(columns, rows) {
    const names = Object.keys(columns);
    // Raw, because these are keys of JSON: the plugin for names of columns must leave them alone.
    const fields = Object.entries(columns).map(([name, type]) => sql.raw(`"${name}" ${TYPES[type]}`));
    const picks = names.map((name) => sql`${sql.raw(`j."${name}"`)} as ${sql.id(name)}`);
    return sql`(select ${sql.join(picks)}
      from (select cast(${JSON.stringify(rows)} as text) as given) g
      cross join lateral json_to_recordset(${readableJsonSql(sql`g.given`)}) as j(${sql.join(fields)}))`;
  },
  text: (value) => sql`(cast(${value} as text) collate "C")`,
  jsonValue: (text, key) => sql`(${readableJsonSql(text)} -> cast(${key} as text))::text`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  jsonEntries(json, alias) {
    const of = (column: string) => sql.ref<string>(`${alias}.${column}`);
    return {
      from: sql`lateral json_each(${readableJsonSql(json)}) as ${sql.table(alias)}`,
      key: sql`${of('key')} collate "C"`,
      value: sql`${of('value')}::text collate "C"`,
    };
  },
  /**
   * Transactions draw numbers side by side, so a later number may be read before an earlier one. Each announces, before
   * it draws, after which number it will: a lock that is let go of once its changes can be read. Whoever asks what is
   * settled looks at the last number first and at the announcements then: a number that is drawn in between is greater.
   */
  async nextChange(db) {
    await sql`select pg_advisory_xact_lock_shared(${sql.lit(CHANGE_LOCKS)} + last_value) from person_changes`.execute(
      db,
    );
    const { rows } = await sql<{ change: number }>`select nextval('person_changes') as change`.execute(db);
    return Number(rows[0]?.change);
  },
  async settledChange(db) {
    const { rows: drawn } = await sql<{ last: number }>`select last_value as last from person_changes`.execute(db);
    const { rows: open } = await sql<{ first: number | null }>`
      select min((classid::bigint << 32 | objid::bigint) - ${sql.lit(CHANGE_LOCKS)}) as first
      from pg_locks
      where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = ${sql.lit(CHANGE_LOCK_CLASS)}
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return Math.min(drawn[0]?.last ?? 0, open[0]?.first ?? Infinity);
  },
  // What was removed is gone for every query at once; its bytes go with the vacuum that PostgreSQL does by itself, and
  // with the turn of its journal. To write whole tables afresh would lock everybody out.
  purge: async () => {},
};
