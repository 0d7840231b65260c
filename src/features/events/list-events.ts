/** The list of events: those of a time range that match filters, in an order that never changes between two requests. */
import type { ActionStep } from '../../core/actions/entity.ts';
import { type Filter, NO_FILTER } from '../../core/filters/property-filter.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { EventQuery } from '../../query/event-query.ts';
import type { EventStatement } from '../../query/event-statement.ts';
import { prepareEventQuery } from '../../query/prepare-event-query.ts';
import type { EventStoreDeps, QueryDeps } from '../../query/query-deps.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';

export interface EventQuestion {
  projectId: number;
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
  const { projectId, person, after, before, filter, steps } = question;
  const query = await prepareEventQuery(deps, projectId, {
    filters: [filter],
    entities: steps === null ? [] : [{ kind: 'action', steps, filter: NO_FILTER }],
    sessionRange: after === undefined ? null : { from: after, until: before },
    hasActors: person !== undefined,
    persons: 'listed',
  });
  return { ...question, query };
}

/** Without a lower bound the last day is tried first: it is nearly always enough, and quick to read. */
export async function findEvents(deps: EventStoreDeps, question: PreparedQuestion): Promise<FoundEvent[]> {
  if (question.after === undefined && question.newestFirst) {
    const rows = await queryPage(deps, { ...question, after: question.before - DAY_MS });
    if (rows.length >= question.limit) return rows;
  }
  return queryPage(deps, question);
}

/** The last event of a page. */
type Cursor = Pick<FoundEvent, 'timestamp' | 'createdAt' | 'uuid'>;

/** All events of a question, a page at a time. Each page starts after the last event, so new events shift nothing. */
export async function* eventPages(
  deps: EventStoreDeps,
  question: PreparedQuestion,
  pageSize: number,
): AsyncGenerator<FoundEvent[]> {
  let cursor: Cursor | undefined;
  for (let left = question.limit; left > 0; ) {
    const limit = Math.min(left, pageSize);
    const offset = cursor === undefined ? question.offset : 0;
    const page = await queryPage(deps, { ...question, limit, offset }, cursor);
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    left -= page.length;
    cursor = page.at(-1);
  }
}

async function queryPage(
  { events }: Pick<EventStoreDeps, 'events'>,
  question: PreparedQuestion,
  cursor?: Cursor,
): Promise<FoundEvent[]> {
  const statement = question.query.begin();
  const { sql } = statement;
  const direction = question.newestFirst ? 'desc' : 'asc';
  const order = `e.timestamp ${direction}, e.created_at ${direction}, ${sql.idOrder('e.uuid')} ${direction}`;
  // The page is found in narrow columns; the wide ones are read for these few events only.
  const text = `
    with page as (
      select e.uuid, e.timestamp
      ${statement.from()}
      where ${statement.inProject()} and ${conditions(statement, question, cursor).join(' and ')}
      order by ${order}
      limit ${sql.param(question.limit)}
      offset ${sql.param(question.offset)}
    )
    select ${EVENT_COLUMNS}
    from events e
    where ${statement.inProject()}
      and e.timestamp >= (select min(timestamp) from page)
      and e.timestamp <= (select max(timestamp) from page)
      and e.uuid in (select uuid from page)
    order by ${order}`;
  return (await events.query(text, sql.values)).map(toFoundEvent);
}

const EVENT_COLUMNS =
  'e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at, e.properties, e.elements_chain';

function conditions(statement: EventStatement, question: PreparedQuestion, cursor: Cursor | undefined): string[] {
  const { event, distinctId, person, before, after, filter, steps, newestFirst } = question;
  const { sql } = statement;
  const all = [`e.timestamp < ${sql.time(before)}`];
  if (after !== undefined) all.push(`e.timestamp > ${sql.time(after)}`);
  if (event !== undefined) all.push(`e.event = ${sql.param(event)}`);
  if (distinctId !== undefined) all.push(`e.distinct_id = ${sql.param(distinctId)}`);
  if (person !== undefined) all.push(`e.person_id = cast(${sql.param(person)} as UUID)`);
  if (cursor !== undefined) all.push(pastCursor(sql, cursor, newestFirst ? '<' : '>'));
  all.push(statement.matches(filter));
  if (steps !== null) all.push(statement.fitsStep(steps));
  return all;
}

function pastCursor(sql: SqlBuilder, { timestamp, createdAt, uuid }: Cursor, sign: string): string {
  const last = sql.idOrder(`cast(${sql.param(uuid)} as UUID)`);
  return `(e.timestamp, e.created_at, ${sql.idOrder('e.uuid')})
    ${sign} (${sql.time(timestamp)}, ${sql.time(createdAt)}, ${last})`;
}

/** One event by its id; null where there is none. */
export async function getEvent(deps: EventStoreDeps, projectId: number, uuid: string): Promise<FoundEvent | null> {
  const sql = deps.dialect.newStatement('e');
  const [row] = await deps.events.query(
    `select ${EVENT_COLUMNS}
    from events e
    where e.project_id = ${sql.param(projectId)} and e.uuid = cast(${sql.param(uuid)} as UUID)
    limit 1`,
    sql.values,
  );
  return row ? toFoundEvent(row) : null;
}

const toFoundEvent = (row: Readonly<Record<string, unknown>>): FoundEvent => ({
  uuid: String(row['uuid']),
  event: String(row['event']),
  distinctId: String(row['distinct_id']),
  personId: String(row['person_id']),
  timestamp: Number(row['timestamp']),
  createdAt: Number(row['created_at']),
  properties: String(row['properties']),
  elementsChain: String(row['elements_chain']),
});
