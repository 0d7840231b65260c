/** How many events a time range has, or how many persons sent one. */
import type { Filter } from '../../core/filters/property-filter.ts';
import { prepareEventQuery } from '../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../query/query-deps.ts';

interface EventCountQuestion {
  projectId: number;
  /** Null: any event. */
  event: string | null;
  counts: 'events' | 'persons' | 'persons by day';
  filter: Filter;
  /** Both ends are included. */
  from: number;
  to: number;
}

export async function countEvents(deps: QueryDeps, question: EventCountQuestion): Promise<number> {
  const { projectId, event, counts, filter, from, to } = question;
  const query = await prepareEventQuery(deps, projectId, {
    filters: [filter],
    sessionRange: { from, until: to },
    hasActors: counts !== 'events',
    persons: 'listed',
  });
  const statement = query.begin();
  const { sql } = statement;
  const conditions = [
    statement.inProject(),
    `e.timestamp >= ${sql.time(from)}`,
    `e.timestamp <= ${sql.time(to)}`,
    ...(event === null ? [] : [`e.event = ${sql.param(event)}`]),
    statement.matches(filter),
  ];
  const day = counts === 'persons by day' ? `${sql.bucket('e.timestamp', 'day', 'UTC')} as day, ` : '';
  const counted = counts === 'events' ? 'e.uuid' : `distinct ${day}e.person_id`;
  const [row] = await statement.query(
    `select count(*) as n from (select ${counted} ${statement.from()} where ${conditions.join(' and ')}) c`,
  );
  return Number(row?.['n'] ?? 0);
}
