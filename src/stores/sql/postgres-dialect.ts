/** The PostgreSQL dialect; see `dialect.ts` for the meaning of each member. */
import { type RawBuilder, sql } from 'kysely';
import type { RowType, SqlDialect, StripeKind, WriteLock } from './dialect.ts';

/** Keys of our advisory locks; nobody else uses any in this database. */
const LOCKS = { migration: 7_201, write: 7_202, index: 7_203, seen: 7_204 } as const;
/** Stripes are locked with two keys: this one, and the number of the stripe. */
const STRIPE_LOCKS: Readonly<Record<StripeKind, number>> = { ids: 7_211, groups: 7_212 };
const WRITE_LOCKS: Readonly<Record<WriteLock, string>> = {
  alone: `pg_advisory_xact_lock(${LOCKS.write})`,
  chunk: `pg_advisory_xact_lock_shared(${LOCKS.write})`,
  index: `pg_advisory_xact_lock(${LOCKS.index})`,
  seen: `pg_advisory_xact_lock(${LOCKS.seen})`,
};

/** Locks for running changes of persons: the upper 16 of 64 bits are this, the others a change number. */
const CHANGE_LOCK_CLASS = 7_221;
const CHANGE_LOCKS = BigInt(CHANGE_LOCK_CLASS) << 48n;

const TYPES: Readonly<Record<RowType, string>> = { text: 'text', integer: 'bigint' };

/**
 * PostgreSQL cannot parse JSON with an escaped NUL or half a surrogate pair: these are read as U+FFFD. `u` after an even
 * number of backslashes is not an escape; we never write complete pairs escaped.
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
  generatesEmails: true,
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
    // Raw, because the camel case plugin must not change JSON keys.
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
   * Concurrent transactions may commit in another order than their change numbers. So each first takes a lock that holds
   * the last number at that time, and releases it with the commit. `settledChange` reads the last number first and the
   * locks then: a number taken in between is greater.
   */
  async nextChange(db) {
    await sql`select pg_advisory_xact_lock_shared(${sql.lit(CHANGE_LOCKS)} + last_value) from person_changes`.execute(
      db,
    );
    const { rows } = await sql<{ change: number }>`select nextval('person_changes') as change`.execute(db);
    return Number(rows[0]?.change);
  },
  async settledChange(db) {
    const { rows: given } = await sql<{ last: number }>`select last_value as last from person_changes`.execute(db);
    const { rows: running } = await sql<{ first: number | null }>`
      select min((classid::bigint << 32 | objid::bigint) - ${sql.lit(CHANGE_LOCKS)}) as first
      from pg_locks
      where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = ${sql.lit(CHANGE_LOCK_CLASS)}
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return Math.min(given[0]?.last ?? 0, running[0]?.first ?? Infinity);
  },
  reorganize: (db, work) =>
    db.transaction().execute(async (tx) => {
      await sql`set local synchronous_commit = off`.execute(tx);
      return work(tx);
    }),
  // PostgreSQL's own vacuum does it.
  releaseSpace: async () => false,
  // PostgreSQL's own vacuum and WAL rotation remove the bytes; rewriting whole tables would lock all others out.
  purge: async () => {},
};
