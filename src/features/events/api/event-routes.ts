import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { csvColumns, csvLinesOf, type FlatRow, flatten } from '../../../http/csv.ts';
import { readCsvCells, readFormat } from '../../../http/format.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import type { CsvCells } from '../../../lib/csv-line.ts';
import { loadActions } from '../../../query/filters/project-actions.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { EventPerson } from '../../../stores/metadata/event-records.ts';
import { eventValues } from '../event-values.ts';
import {
  type EventQuestion,
  eventPages,
  type FoundEvent,
  findEvents,
  getEvent,
  type PreparedQuestion,
  prepareEventQuestion,
} from '../list-events.ts';
import type { EventApiDeps } from './deps.ts';
import { nextLink, readEventQuestion, readEventUuid } from './event-query.ts';
import {
  EVENT_QUERY,
  EventListSchema,
  EventSchema,
  presentEvent,
  SHOWN_PERSON_PROPERTIES,
  ValuesSchema,
} from './event-schemas.ts';

const tag = 'events';
const P = '/api/projects/:project_id';
const legacy = 'event';

export function eventRoutes(app: FastifyInstance, deps: EventApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${P}/events/`,
    legacy,
    summary: 'Events, newest first',
    tag,
    scope: 'query',
    query: EVENT_QUERY,
    response: EventListSchema,
    handler: async ({ project, query, url, reply }) => {
      const action = await loadActions(deps.metadata, project.id);
      const question = await readEventQuestion(deps.metadata.eventPersons, project, query, deps.clock.now(), action);
      const limited = limitedBy(deps, reply);
      if (readFormat(query) === 'json') return limited((own) => listEvents(own, question, url));
      const lines = await csvOfEvents(deps, limited, question, readCsvCells(query));
      return reply.type('text/csv; charset=utf-8').send(Readable.from(lines));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${P}/events/:uuid/`,
    legacy,
    summary: 'One event',
    tag,
    scope: 'query',
    query: { include_person: 'Any value: show the person too.' },
    response: EventSchema,
    handler: async ({ project, params, query }) => {
      const event = await getEvent(deps, project.id, readEventUuid(params['uuid']));
      if (!event) throw notFound(`No events exist for event UUID ${params['uuid']}`);
      return presentEvent(event, 'include_person' in query ? await personsOf(deps, project.id, [event]) : new Map());
    },
  });
  valueRoute(app, deps);
}

type Limited = <T>(run: (deps: QueryDeps) => Promise<T>) => Promise<T>;

/** Runs queries within the time limit, and only as long as the caller waits for the answer. */
const limitedBy =
  (deps: EventApiDeps, reply: FastifyReply): Limited =>
  (run) =>
    withQueryLimits(deps.config.queryTimeoutSeconds, callerSignal(reply), (signal) =>
      run({ ...deps, events: { query: (sql, values) => deps.events.query(sql, values, signal) } }),
    );

async function listEvents(deps: QueryDeps, question: EventQuestion, url: URL) {
  const page = await findEvents(deps, await prepareEventQuestion(deps, question));
  const persons = await personsOf(deps, question.projectId, page.events);
  return { next: nextLink(url, question, page), results: page.events.map((event) => presentEvent(event, persons)) };
}

async function personsOf(
  { metadata }: QueryDeps,
  projectId: number,
  events: readonly FoundEvent[],
): Promise<ReadonlyMap<string, EventPerson>> {
  const uuids = [...new Set(events.map((event) => event.personId))];
  const persons = await metadata.eventPersons.listByUuids(projectId, uuids, SHOWN_PERSON_PROPERTIES);
  return new Map(persons.map((person) => [person.uuid, person]));
}

const CSV_PAGE_SIZE = 500;

/**
 * The columns are found within one time limit, before the response begins, so that it can still be an error. After that
 * each page has a limit of its own, because the caller decides how fast the rows are read.
 */
async function csvOfEvents(
  deps: QueryDeps,
  limited: Limited,
  question: EventQuestion,
  cells: CsvCells,
): Promise<AsyncGenerator<string>> {
  const { prepared, columns } = await limited(async (own) => {
    const prepared = await prepareEventQuestion(own, question);
    return { prepared, columns: await csvColumns(csvPages(own, prepared)) };
  });
  const query: QueryDeps['events']['query'] = (sql, values) => limited((own) => own.events.query(sql, values));
  return csvLinesOf(columns, csvPages({ ...deps, events: { query } }, prepared), cells);
}

async function* csvPages(deps: QueryDeps, question: PreparedQuestion): AsyncGenerator<FlatRow[]> {
  for await (const page of eventPages(deps, question, CSV_PAGE_SIZE)) {
    const persons = await personsOf(deps, question.projectId, page);
    yield page.map((event) => flatten(presentEvent(event, persons)));
  }
}

/** Names that every website has, so they are no custom events. */
const STANDARD_EVENTS = new Set(['$autocapture', '$pageview', '$identify', '$pageleave', '$screen']);

function valueRoute(app: FastifyInstance, deps: EventApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${P}/events/values/`,
    legacy,
    summary: 'Values that a property has had in the last seven days',
    tag,
    scope: 'query',
    query: {
      key: 'The property; `custom_event` for the names of events.',
      value: 'Part of the value.',
      event_name: 'Only of this event; may be repeated.',
    },
    response: ValuesSchema,
    handler: async ({ project, query }) => {
      const names = await valuesFor(deps, project.id, query);
      return names.map((name) => ({ name }));
    },
  });
}

const FIRST_NAMES = { limit: 1000, offset: 0 };

async function valuesFor(deps: EventApiDeps, projectId: number, query: Query): Promise<string[]> {
  const key = queryText(query, 'key');
  const part = queryText(query, 'value') || undefined;
  if (!key) return [];
  if (key === 'custom_event') {
    const filter = { words: part ? [part] : [], only: undefined };
    const order = { scores: null, descending: false };
    const { items } = await deps.metadata.definitions.pageOfEvents(projectId, filter, order, FIRST_NAMES);
    return items.map(({ name }) => name).filter((name) => !STANDARD_EVENTS.has(name));
  }
  const events = [query['event_name'] ?? []].flat().filter((name) => name !== '');
  return eventValues(deps, { projectId, key, part, events, now: deps.clock.now() });
}
