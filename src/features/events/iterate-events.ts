/** All events of a project, oldest first: one day after the other, so that each query reads a small part of the store. */
import { NO_FILTER } from '../../core/filters/property-filter.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { EventStoreDeps, QueryDeps } from '../../query/query-deps.ts';
import { eventPages, type FoundEvent, prepareEventQuestion } from './list-events.ts';

interface EventRange {
  projectId: number;
  /** Only events of this name. */
  event: string | null;
  /** Included; null: from the first event on. */
  from: number | null;
  /** Excluded; null: to the last event. */
  to: number | null;
}

interface DayCount {
  /** ms UTC. */
  day: number;
  events: number;
}

const PAGE_SIZE = 5000;

/** How many events there are on each day, oldest first. */
export async function countByDay({ events, dialect }: EventStoreDeps, range: EventRange): Promise<DayCount[]> {
  const sql = dialect.newStatement('e');
  const conditions = [`e.project_id = ${sql.param(range.projectId)}`];
  if (range.event !== null) conditions.push(`e.event = ${sql.param(range.event)}`);
  if (range.from !== null) conditions.push(`e.timestamp >= ${sql.time(range.from)}`);
  if (range.to !== null) conditions.push(`e.timestamp < ${sql.time(range.to)}`);
  const rows = await events.query(
    `select ${sql.bucket('e.timestamp', 'day', 'UTC')} as day, count(*) as n
    from event_rows e where ${conditions.join(' and ')}
    group by 1 order by 1`,
    sql.values,
  );
  return rows.map((row) => ({ day: Number(row['day']), events: Number(row['n']) }));
}

export async function* iterateEvents(
  deps: QueryDeps,
  { projectId, event, from, to }: EventRange,
  days: readonly DayCount[],
): AsyncGenerator<FoundEvent[]> {
  for (const { day } of days) {
    const question = await prepareEventQuestion(deps, {
      projectId,
      timezone: 'UTC',
      event: event ?? undefined,
      distinctId: undefined,
      person: undefined,
      // Excluded bounds; times are whole milliseconds.
      after: Math.max(day, from ?? day) - 1,
      before: Math.min(day + DAY_MS, to ?? Number.POSITIVE_INFINITY),
      filter: NO_FILTER,
      steps: null,
      newestFirst: false,
      limit: Number.MAX_SAFE_INTEGER,
      offset: 0,
    });
    yield* eventPages(deps, question, PAGE_SIZE);
  }
}
