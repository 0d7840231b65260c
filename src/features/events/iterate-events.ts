/**
 * All events of a project in the order of time, however many: day after day, so that each question reads a small part of
 * the store, and a page at a time within a day.
 */
import { NO_FILTER } from '../../core/filters/property-filter.ts';
import { type EventsDeps, eventPages, type FoundEvent, prepareEventQuestion } from './list-events.ts';

interface EventRange {
  projectId: number;
  /** Only events of this name. */
  event: string | null;
  /** From this moment on; null from the first event on. */
  from: number | null;
  /** Up to but without this moment. */
  to: number | null;
}

interface DayCount {
  /** ms UTC. */
  day: number;
  events: number;
}

const DAY_MS = 86_400_000;
const PAGE_SIZE = 5000;

/** How many events there are on each day, oldest first. */
export async function countByDay({ events, dialect }: EventsDeps, range: EventRange): Promise<DayCount[]> {
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
  deps: EventsDeps,
  { projectId, event, from, to }: EventRange,
  days: readonly DayCount[],
): AsyncGenerator<FoundEvent[]> {
  for (const { day } of days) {
    const question = await prepareEventQuestion(deps, {
      projectId,
      event: event ?? undefined,
      distinctId: undefined,
      person: undefined,
      // Both bounds are outside of the range; times are whole milliseconds.
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
