/**
 * How often flags were evaluated, by minute; older counts by hour and by day. Times are in ms UTC.
 */
import { sql } from 'kysely';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';
import type { Sql } from '../../../stores/sql/tables.ts';
import type { ValueUse } from '../rules/removal.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly flagUsage: FlagUsageStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    flagUsage: {
      projectId: number;
      flagId: number;
      /** Length of the bucket, in ms. */
      width: number;
      start: number;
      source: string;
      value: string;
      count: number;
    };
    flagUsageWrites: { node: string; sequence: number; writtenAt: number };
  }
}

export interface FlagUseCount {
  projectId: number;
  flagId: number;
  /** Of the minute, hour or day. */
  start: number;
  /** The SDK that asked. */
  source: string;
  /** `true`, `false` or the key of a variant. */
  value: string;
  count: number;
}

export interface FlagUsageStore {
  /** False if this write of the process was made before. */
  begin(node: string, sequence: number, now: number): Promise<boolean>;
  /** Of single minutes. */
  add(counts: readonly FlagUseCount[]): Promise<void>;
  /** Buckets that start in the range; the end is excluded. */
  list(projectId: number, flagId: number, from: number, to: number): Promise<FlagUseCount[]>;
  /** Flag → the start of the last bucket of each value, and of the last that starts at `before` or earlier. */
  lastUsed(projectId: number, before: number): Promise<Map<number, ValueUse[]>>;
  /** The start of the first bucket of the project; null without any. */
  firstUsed(projectId: number): Promise<number | null>;
  /** Makes hours of old minutes and days of old hours, and forgets the oldest. In a transaction. */
  fold(now: number): Promise<void>;
}

const MINUTES_KEPT_MS = 2 * DAY_MS;
const HOURS_KEPT_MS = 60 * DAY_MS;
const DAYS_KEPT_MS = 400 * DAY_MS;
const WRITES_KEPT_MS = DAY_MS;

const COLUMNS = {
  projectId: 'integer',
  flagId: 'integer',
  width: 'integer',
  start: 'integer',
  source: 'text',
  value: 'text',
  count: 'integer',
} as const;

const startOf = (time: number, width: number): number => time - (time % width);

export function flagUsageStore({ db, dialect }: Sql): FlagUsageStore {
  const fold = async (from: number, to: number, before: number): Promise<void> => {
    const old = sql`width = ${from} and start < ${startOf(before, to)}`;
    await sql`
      insert into flag_usage (project_id, flag_id, width, start, source, value, count)
      select project_id, flag_id, ${sql.lit(to)}, start - start % ${sql.lit(to)}, source, value, sum(count)
      from flag_usage where ${old}
      group by 1, 2, 3, 4, 5, 6
      on conflict (project_id, flag_id, width, start, source, value)
      do update set count = flag_usage.count + excluded.count`.execute(db);
    await sql`delete from flag_usage where ${old}`.execute(db);
  };
  return {
    async begin(node, sequence, now) {
      const row = { node, sequence, writtenAt: now };
      const written = await db
        .insertInto('flagUsageWrites')
        .values(row)
        .onConflict((oc) => oc.column('node').doUpdateSet(row).where('flagUsageWrites.sequence', '<', sequence))
        .returning('sequence')
        .executeTakeFirst();
      return written !== undefined;
    },
    async add(counts) {
      const rows = counts.map((count) => ({ ...count, width: MINUTE_MS }));
      await sql`
        insert into flag_usage (project_id, flag_id, width, start, source, value, count)
        select r.project_id, r.flag_id, r.width, r.start, r.source, r.value, r.count
        from ${dialect.rows(COLUMNS, rows)} r
        where true
        on conflict (project_id, flag_id, width, start, source, value)
        do update set count = flag_usage.count + excluded.count`.execute(db);
    },
    async list(projectId, flagId, from, to) {
      const rows = await db
        .selectFrom('flagUsage')
        .select(['projectId', 'flagId', 'start', 'source', 'value', 'count'])
        .where('projectId', '=', projectId)
        .where('flagId', '=', flagId)
        .where('start', '>=', from)
        .where('start', '<', to)
        .orderBy('start')
        .execute();
      return rows.map((row) => ({
        ...row,
        projectId: Number(row.projectId),
        flagId: Number(row.flagId),
        start: Number(row.start),
        count: Number(row.count),
      }));
    },
    async lastUsed(projectId, before) {
      const rows = await db
        .selectFrom('flagUsage')
        .select((eb) => ['flagId', 'value', eb.fn.max('start').as('last')])
        .select(sql<number | null>`max(case when start <= ${before} then start end)`.as('lastBefore'))
        .where('projectId', '=', projectId)
        .groupBy(['flagId', 'value'])
        .orderBy('value')
        .execute();
      const uses = new Map<number, ValueUse[]>();
      for (const { flagId, value, last, lastBefore } of rows) {
        const use = { value, last: Number(last), lastBefore: lastBefore === null ? null : Number(lastBefore) };
        uses.set(Number(flagId), [...(uses.get(Number(flagId)) ?? []), use]);
      }
      return uses;
    },
    async firstUsed(projectId) {
      const row = await db
        .selectFrom('flagUsage')
        .select((eb) => eb.fn.min('start').as('first'))
        .where('projectId', '=', projectId)
        .executeTakeFirst();
      return row?.first == null ? null : Number(row.first);
    },
    async fold(now) {
      await fold(MINUTE_MS, HOUR_MS, now - MINUTES_KEPT_MS);
      await fold(HOUR_MS, DAY_MS, now - HOURS_KEPT_MS);
      await db
        .deleteFrom('flagUsage')
        .where('start', '<', now - DAYS_KEPT_MS)
        .execute();
      await db
        .deleteFrom('flagUsageWrites')
        .where('writtenAt', '<', now - WRITES_KEPT_MS)
        .execute();
    },
  };
}
