import { DAY_MS } from '../../core/time/units.ts';
import type { EventStoreDeps } from '../../query/query-deps.ts';

const WINDOW_MS = 30 * DAY_MS;

/** The number of events in the last 30 days, by event name: of these names, or of so many of the most frequent. */
export async function countEventsByName(
  { events, dialect }: EventStoreDeps,
  projectId: number,
  now: number,
  only?: readonly string[] | number,
): Promise<ReadonlyMap<string, number>> {
  const names = typeof only === 'number' ? undefined : only;
  if (names?.length === 0) return new Map();
  const sql = dialect.newStatement('e');
  const nameFilter = names ? `and e.event in (${names.map((name) => sql.param(name)).join(', ')})` : '';
  const rows = await events.query(
    `select e.event as name, count(*) as n
    from event_rows e
    where e.project_id = ${sql.param(projectId)}
      and e.timestamp >= ${sql.time(now - WINDOW_MS)}
      and e.timestamp <= ${sql.time(now)}
      ${nameFilter}
    group by 1
    ${typeof only === 'number' ? `order by n desc, name limit ${only}` : ''}`,
    sql.values,
  );
  return new Map(rows.map((row) => [String(row['name']), Number(row['n'])]));
}
