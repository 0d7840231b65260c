/**
 * The list of events. What comes in: a question with a time range and filters. What goes out: events with their
 * persons, in an order that never changes between two askings.
 */
import type { ActionStep } from '../../core/actions/entity.ts';
import { type Filter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import type { Clock } from '../../lib/clock.ts';
import { findCohortUuids } from '../../query/cohorts/cohort-filter.ts';
import type { CohortQueryDeps } from '../../query/cohorts/cohort-members.ts';
import { type CohortUuids, cohortSql } from '../../query/cohorts/cohort-sql.ts';
import { filtersOfStep, stepsSql } from '../../query/filters/action-step-sql.ts';
import { type FilterScope, filterSql } from '../../query/filters/filter-sql.ts';
import { matchPersons, type OwnerMatches, personSql } from '../../query/filters/person-filter.ts';
import { findRelated, type RelatedFilters, relatedSql } from '../../query/filters/related-filter.ts';
import { type EventStoreDeps, validPatterns } from '../../query/filters/valid-patterns.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { EventPersonStore } from '../../stores/metadata/event-records.ts';

export interface EventQuestion {
  projectId: number;
  event: string | undefined;
  distinctId: string | undefined;
  /** UUID of a person. */
  person: string | undefined;
  /** Both bounds are outside of the range. */
  before: number;
  after: number | undefined;
  filter: Filter;
  /** Only events that fit one of these steps of an action; null: any. */
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

export interface EventsDeps extends CohortQueryDeps {
  persons: EventPersonStore;
  clock: Clock;
}

/** A question whose filters have been looked into: patterns tried out, persons and cohorts found. */
export interface PreparedQuestion extends EventQuestion {
  scope: Pick<FilterScope, 'patterns'>;
  outside: RelatedFilters;
  persons: OwnerMatches;
  cohorts: CohortUuids;
}

export async function prepareEventQuestion(deps: EventsDeps, question: EventQuestion): Promise<PreparedQuestion> {
  const { projectId, after, before, steps } = question;
  const filter: Filter = { kind: 'and', filters: [question.filter, ...(steps ?? []).flatMap(filtersOfStep)] };
  const patterns = await validPatterns(deps, filter);
  const asked = propertyFiltersIn(filter).filter(({ owner }) => owner === 'person');
  const persons = await matchPersons(deps, projectId, asked, patterns);
  const cohorts = await findCohortUuids(deps, projectId, filter, deps.clock.now());
  const reach = after === undefined ? null : { from: after, until: before };
  const outside = await findRelated(deps, { projectId, patterns, sessionRange: reach }, filter);
  return { ...question, scope: { patterns }, outside, persons, cohorts };
}

const DAY_MS = 86_400_000;

/** Without a lower bound the last day is tried first: nearly always enough, and a small part of the store. */
export async function findEvents(deps: EventsDeps, question: PreparedQuestion): Promise<FoundEvent[]> {
  if (question.after === undefined && question.newestFirst) {
    const rows = await queryPage(deps, { ...question, after: question.before - DAY_MS });
    if (rows.length >= question.limit) return rows;
  }
  return queryPage(deps, question);
}

/** Where a reader of many events has got to. */
type Cursor = Pick<FoundEvent, 'timestamp' | 'createdAt' | 'uuid'>;

/** All events of a question, a page at a time. Goes on from the last event itself, so that new ones shift nothing. */
export async function* eventPages(
  deps: EventsDeps,
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

async function queryPage(deps: EventsDeps, question: PreparedQuestion, cursor?: Cursor): Promise<FoundEvent[]> {
  const sql = deps.dialect.newStatement('e');
  const { newestFirst, limit, offset } = question;
  const direction = newestFirst ? 'desc' : 'asc';
  const order = `e.timestamp ${direction}, e.created_at ${direction}, ${sql.idOrder('e.uuid')} ${direction}`;
  // Persons are looked through the overrides, which costs a join: only where they matter.
  const asksForPersons = question.person !== undefined || question.persons.size > 0 || question.cohorts.size > 0;
  const source = asksForPersons ? 'events' : 'event_rows';
  const project = sql.param(question.projectId);
  // First which events, from narrow columns alone; then the wide ones, of those few.
  const text = `
    with page as (
      select e.uuid, e.timestamp
      from ${source} e
      where e.project_id = ${project} and ${conditions(sql, question, cursor).join(' and ')}
      order by ${order}
      limit ${sql.param(limit)}
      offset ${sql.param(offset)}
    )
    select e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at, e.properties, e.elements_chain
    from events e
    where e.project_id = ${project}
      and e.timestamp >= (select min(timestamp) from page)
      and e.timestamp <= (select max(timestamp) from page)
      and e.uuid in (select uuid from page)
    order by ${order}`;
  return (await deps.events.query(text, sql.values)).map(toFoundEvent);
}

function conditions(sql: SqlBuilder, question: PreparedQuestion, cursor: Cursor | undefined): string[] {
  const { event, distinctId, person, before, after, filter, steps, persons, cohorts, newestFirst } = question;
  const scope: FilterScope = {
    ...question.scope,
    related: (leaf) => personSql(sql, persons, leaf, 'e.person_id') ?? relatedSql(sql, question.outside, leaf),
    cohort: (leaf) => cohortSql(sql, cohorts, leaf, 'e.person_id'),
  };
  const all = [`e.timestamp < ${sql.time(before)}`];
  if (after !== undefined) all.push(`e.timestamp > ${sql.time(after)}`);
  if (event !== undefined) all.push(`e.event = ${sql.param(event)}`);
  if (distinctId !== undefined) all.push(`e.distinct_id = ${sql.param(distinctId)}`);
  if (person !== undefined) all.push(`e.person_id = cast(${sql.param(person)} as UUID)`);
  if (cursor !== undefined) all.push(pastCursor(sql, cursor, newestFirst ? '<' : '>'));
  all.push(filterSql(sql, filter, scope));
  const { patterns } = scope;
  if (steps !== null) all.push(stepsSql(sql, steps, { patterns, holds: (one) => filterSql(sql, one, scope) }));
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
    `select e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at, e.properties, e.elements_chain
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
