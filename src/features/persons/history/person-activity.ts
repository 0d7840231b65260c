import type { EventStoreDeps } from '../../../query/query-deps.ts';

export interface PersonActivity {
  events: number;
  /** Null without events. */
  firstSeenAt: number | null;
  lastSeenAt: number | null;
}

/** Counts a person's events, with any timestamp. With `distinctIds`, only events with one of these. */
export async function personActivity(
  { events, dialect }: EventStoreDeps,
  projectId: number,
  personUuid: string,
  distinctIds?: readonly string[],
): Promise<PersonActivity> {
  if (distinctIds?.length === 0) return { events: 0, firstSeenAt: null, lastSeenAt: null };
  const sql = dialect.newStatement('e');
  const only = distinctIds ? `and e.distinct_id in (${distinctIds.map((id) => sql.param(id)).join(', ')})` : '';
  const [row] = await events.query(
    `select count(*) as n, min(e.timestamp) as first_at, max(e.timestamp) as last_at
    from events e
    where e.project_id = ${sql.param(projectId)} and e.person_id = cast(${sql.param(personUuid)} as UUID)
      ${only}`,
    sql.values,
  );
  const time = (name: string): number | null => (typeof row?.[name] === 'number' ? row[name] : null);
  return { events: Number(row?.['n'] ?? 0), firstSeenAt: time('first_at'), lastSeenAt: time('last_at') };
}
