import { sql } from 'kysely';
import type { QueryUsageStore, UsageCount } from '../metadata/query-usage.ts';
import type { Sql } from './tables.ts';

const COLUMNS = {
  projectId: 'integer',
  kind: 'text',
  groupTypeIndex: 'integer',
  day: 'integer',
  name: 'text',
  count: 'integer',
} as const;

export function queryUsageStore({ db, dialect }: Sql): QueryUsageStore {
  const write = async (counts: readonly UsageCount[], isDefined: ReturnType<typeof sql>): Promise<void> => {
    if (counts.length === 0) return;
    await sql`
      insert into query_usage (project_id, kind, group_type_index, day, name, count)
      select r.project_id, r.kind, r.group_type_index, r.day, r.name, r.count
      from ${dialect.rows(COLUMNS, counts)} r
      where exists (${isDefined})
      on conflict (project_id, kind, group_type_index, day, name)
      do update set count = query_usage.count + excluded.count`.execute(db);
  };
  return {
    async addCounts(counts) {
      await write(
        counts.filter(({ kind }) => kind === 'event'),
        sql`select 1 from event_definitions d where d.project_id = r.project_id and d.name = r.name`,
      );
      await write(
        counts.filter(({ kind }) => kind !== 'event'),
        sql`select 1 from property_definitions d
          where d.project_id = r.project_id and d.kind || '_property' = r.kind
            and d.group_type_index = r.group_type_index and d.name = r.name`,
      );
    },
    async countSince(projectId, { kind, groupTypeIndex }, day) {
      const rows = await db
        .selectFrom('queryUsage')
        .select((eb) => ['name', eb.fn.sum('count').as('total')])
        .where('projectId', '=', projectId)
        .where('kind', '=', kind)
        .where('groupTypeIndex', '=', groupTypeIndex)
        .where('day', '>=', day)
        .groupBy('name')
        .execute();
      return new Map(rows.map(({ name, total }) => [name, Number(total)]));
    },
    async deleteBefore(day) {
      await db.deleteFrom('queryUsage').where('day', '<', day).execute();
    },
  };
}
