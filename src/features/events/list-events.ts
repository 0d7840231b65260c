/** The list of events: those of a time range that match filters, in an order that never changes between two requests. */
import type { ActionStep } from '../../core/actions/entity.ts';
import { countFitting } from '../../core/count-fitting.ts';
import { type Filter, NO_FILTER } from '../../core/filters/property-filter.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { EventQuery } from '../../query/event-query.ts';
import type { EventStatement } from '../../query/event-statement.ts';
import { prepareEventQuery } from '../../query/prepare-event-query.ts';
import type { EventStoreDeps, QueryDeps } from '../../query/query-deps.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { SqlRow } from '../../stores/events/event-store.ts';

export interface EventQuestion {
  projectId: number;
  /** The calendar of expressions. */
  timezone: string;
  event: string | undefined;
  distinctId: string | undefined;
  /** UUID of a person. */
  person: string | undefined;
  /** Both bounds are excluded. */
  before: number;
  after: number | undefined;
  filter: Filter;
  /** Only events that fit one of these steps; null: any. */
  steps: readonly ActionStep[] | null;
  newestFirst: boolean;
  limit: number;
  offset: number;
}

export interface FoundEvent {
  uuid: string;
  event: string;
  distinctId: string;
  personId: string;
  timestamp: number;
  createdAt: number;
  /** JSON text. */
  properties: string;
  elementsChain: string;
}

/** A question whose filters have been looked up. */
export interface PreparedQuestion extends EventQuestion {
  query: EventQuery;
}

export async function prepareEventQuestion(deps: QueryDeps, question: EventQuestion): Promise<PreparedQuestion> {
  const { projectId, timezone, person, after, before, filter, steps } = question;
  const query = await prepareEventQuery(deps, projectId, {
    filters: [filter],
    entities: steps === null ? [] : [{ kind: 'action', steps, filter: NO_FILTER }],
    sessionRange: after === undefined ? null : { from: after, until: before },
    timezone,
    hasActors: person !== undefined,
    persons: 'listed',
  });
  return { ...question, query };
}

/** The events of a page, and the place of the one that follows; null if none does. */
export interface EventPage {
  events: FoundEvent[];
  next: EventPlace | null;
}

/** Where an event is in the list. */
type EventPlace = Pick<FoundEvent, 'timestamp' | 'createdAt' | 'uuid'>;

/** Without a lower bound the last day is tried first: it is nearly always enough, and quick to read. */
export async function findEvents(deps: EventStoreDeps, question: PreparedQuestion): Promise<EventPage> {
  if (question.after === undefined && question.newestFirst) {
    const page = await readPage(deps, { ...question, after: question.before - DAY_MS });
    if (page.next !== null) return page;
  }
  return readPage(deps, question);
}

/** All events of a question, a page at a time. Each page starts after the last event, so new events shift nothing. */
export async function* eventPages(
  deps: EventStoreDeps,
  question: PreparedQuestion,
  pageSize: number,
): AsyncGenerator<FoundEvent[]> {
  let last: EventPlace | undefined;
  for (let left = question.limit; left > 0; ) {
    const offset = last === undefined ? question.offset : 0;
    const { events, next } = await readPage(deps, { ...question, limit: Math.min(left, pageSize), offset }, last);
    if (events.length > 0) yield events;
    if (next === null) return;
    left -= events.length;
    last = events.at(-1);
  }
}

/** The texts of a page, about. A page with larger events is shorter, so that no list needs more memory than this. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Places and sizes are read first, then the wide columns of as many events as fit. */
async function readPage(deps: EventStoreDeps, question: PreparedQuestion, after?: EventPlace): Promise<EventPage> {
  const places = await readPlaces(deps, question, after);
  const shown = places.slice(0, Math.min(question.limit, countFitting(places, MAX_PAGE_BYTES)));
  return { events: await readEvents(deps, question, shown), next: places[shown.length] ?? null };
}

const directionOf = ({ newestFirst }: EventQuestion): string => (newestFirst ? 'desc' : 'asc');

const orderOf = (sql: SqlBuilder, direction: string): string =>
  `e.timestamp ${direction}, e.created_at ${direction}, ${sql.idOrder('e.uuid')} ${direction}`;

/** One place more than the page has: whether there is a next page. */
async function readPlaces(
  { events }: Pick<EventStoreDeps, 'events'>,
  question: PreparedQuestion,
  after: EventPlace | undefined,
): Promise<(EventPlace & { bytes: number })[]> {
  const statement = question.query.begin();
  const { sql } = statement;
  const order = orderOf(sql, directionOf(question));
  // The page is found in narrow columns; the sizes are computed for these few events only.
  const rows = await events.query(
    `with page as (
      select e.uuid, e.timestamp
      ${statement.from()}
      where ${statement.inProject()} and ${conditions(statement, question, after).join(' and ')}
      order by ${order}
      limit ${sql.param(question.limit + 1)}
      offset ${sql.param(question.offset)}
    )
    select e.uuid, e.timestamp, e.created_at, ${sql.eventBytes('e')} as bytes
    from event_rows e
    where ${statement.inProject()}
      and e.timestamp >= (select min(timestamp) from page)
      and e.timestamp <= (select max(timestamp) from page)
      and e.uuid in (select uuid from page)
    order by ${order}`,
    sql.values,
  );
  return rows.map((row) => ({ ...toPlace(row), bytes: Number(row['bytes']) }));
}

async function readEvents(
  { events, dialect }: EventStoreDeps,
  question: EventQuestion,
  places: readonly EventPlace[],
): Promise<FoundEvent[]> {
  if (places.length === 0) return [];
  const sql = dialect.newStatement('e');
  const times = places.map(({ timestamp }) => timestamp);
  const rows = await events.query(
    `select ${eventColumns(sql)}
    from events e
    where e.project_id = ${sql.param(question.projectId)}
      and e.timestamp >= ${sql.time(Math.min(...times))}
      and e.timestamp <= ${sql.time(Math.max(...times))}
      and e.uuid in (select cast(p.uuid as UUID) from ${sql.rows(['uuid'], places)} p)
    order by ${orderOf(sql, directionOf(question))}`,
    sql.values,
  );
  return rows.map(toFoundEvent);
}

const eventColumns = (sql: SqlBuilder): string =>
  `e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at,
    ${sql.wholeText('e', 'properties')} as properties, ${sql.wholeText('e', 'elements_chain')} as elements_chain`;

function conditions(statement: EventStatement, question: PreparedQuestion, last: EventPlace | undefined): string[] {
  const { event, distinctId, person, before, after, filter, steps, newestFirst } = question;
  const { sql } = statement;
  const all = [`e.timestamp < ${sql.time(before)}`];
  if (after !== undefined) all.push(`e.timestamp > ${sql.time(after)}`);
  if (event !== undefined) all.push(`e.event = ${sql.param(event)}`);
  if (distinctId !== undefined) all.push(`e.distinct_id = ${sql.param(distinctId)}`);
  if (person !== undefined) all.push(`e.person_id = cast(${sql.param(person)} as UUID)`);
  if (last !== undefined) all.push(isBeyond(sql, last, newestFirst ? '<' : '>'));
  all.push(statement.matches(filter));
  if (steps !== null) all.push(statement.fitsStep(steps));
  return all;
}

function isBeyond(sql: SqlBuilder, { timestamp, createdAt, uuid }: EventPlace, sign: string): string {
  const id = sql.idOrder(`cast(${sql.param(uuid)} as UUID)`);
  return `(e.timestamp, e.created_at, ${sql.idOrder('e.uuid')})
    ${sign} (${sql.time(timestamp)}, ${sql.time(createdAt)}, ${id})`;
}

/** One event by its id; null where there is none. */
export async function getEvent(deps: EventStoreDeps, projectId: number, uuid: string): Promise<FoundEvent | null> {
  const sql = deps.dialect.newStatement('e');
  const [row] = await deps.events.query(
    `select ${eventColumns(sql)}
    from events e
    where e.project_id = ${sql.param(projectId)} and e.uuid = cast(${sql.param(uuid)} as UUID)
    limit 1`,
    sql.values,
  );
  return row ? toFoundEvent(row) : null;
}

const toPlace = (row: SqlRow): EventPlace => ({
  uuid: String(row['uuid']),
  timestamp: Number(row['timestamp']),
  createdAt: Number(row['created_at']),
});

const toFoundEvent = (row: SqlRow): FoundEvent => ({
  ...toPlace(row),
  event: String(row['event']),
  distinctId: String(row['distinct_id']),
  personId: String(row['person_id']),
  properties: String(row['properties']),
  elementsChain: String(row['elements_chain']),
});
