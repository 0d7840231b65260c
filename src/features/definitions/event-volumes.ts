import { DAY_MS } from '../../core/time/units.ts';
import type { EventStoreDeps } from '../../query/query-deps.ts';

const WINDOW_MS = 30 * DAY_MS;

/** The number of events in the last 30 days, by event name. */
export async function countEventsByName(
  { events, dialect }: EventStoreDeps,
  projectId: number,
  now: number,
  names?: readonly string[],
): Promise<ReadonlyMap<string, number>> {
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
    group by 1`,
    sql.values,
  );
  return new Map(rows.map((row) => [String(row['name']), Number(row['n'])]));
}
