import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Json } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { toCsv } from '../../../http/csv.ts';
import { FORMAT_QUERY, readCsvCells, readFormat } from '../../../http/format.ts';
import { type PersonContext, personRoute } from '../../persons/api/person-route.ts';
import { type InsightKind, KINDS, kindAt } from '../kinds.ts';
import type { QuestionFields } from '../rules/fields.ts';
import type { InsightApiDeps } from './deps.ts';
import { sendCsv } from './insight-csv.ts';
import { insightFields, questionContext, readInsightPage } from './insight-request.ts';
import { INSIGHT_DOCS, InsightBody, PEOPLE_DOCS } from './insight-schemas.ts';
import { fittingActors, peopleAnswer, presentActors } from './present-people.ts';
import { answerInsight, startQuery } from './run-query.ts';

const INSIGHTS = { legacy: 'insight', tag: 'insights', scope: 'insight' } as const;
const URL_PREFIX = '/api/projects/:project_id/insights';

type Request = PersonContext<unknown>;

export function insightRoutes(app: FastifyInstance, deps: InsightApiDeps): void {
  for (const endpoint of new Set(KINDS.map((kind) => kind.endpoint))) {
    const { query, ...docs } = INSIGHT_DOCS[endpoint];
    for (const method of ['GET', 'POST'] as const) {
      projectRoute(app, deps, {
        ...INSIGHTS,
        ...docs,
        ...bodyOf(method),
        method,
        url: `${URL_PREFIX}/${endpoint}/`,
        query: { ...query, ...FORMAT_QUERY },
        handler: (request) => sendInsight(deps, endpoint, request, () => readFormat(request.query)),
      });
    }
  }
  projectRoute(app, deps, {
    ...INSIGHTS,
    method: 'GET',
    url: `${URL_PREFIX}/trend.csv`,
    summary: 'Trends as CSV',
    hidden: true,
    handler: (request) => sendInsight(deps, 'trend', request, () => 'csv'),
  });
  for (const kind of KINDS) peopleRoutes(app, deps, kind);
}

const bodyOf = (method: 'GET' | 'POST') => (method === 'POST' ? { body: InsightBody, readOnly: true } : {});

async function sendInsight(
  deps: InsightApiDeps,
  endpoint: InsightKind['endpoint'],
  { project, query, body, request, url, reply }: Request,
  format: () => 'json' | 'csv',
): Promise<object> {
  const fields = insightFields(query, body, kindAt(endpoint, {}));
  const kind = kindAt(endpoint, fields);
  const run = startQuery(deps, { project, reply }, fields);
  const result = await answerInsight(run, kind, fields, request.method === 'POST');
  if (format() === 'csv') return sendCsv(kind, result, { fields, url, reply, cells: readCsvCells(query) });
  return {
    result,
    ...(endpoint === 'trend' ? { next: nextValues(url, fields, result) } : {}),
    ...(kind.hasTimezone ? { timezone: project.timezone } : {}),
    ...run.freshness(),
  };
}

/** Values of a breakdown come in pages of this size; a full page may be the last one. */
const VALUES_PER_PAGE = 25;

function nextValues(url: URL, fields: QuestionFields, result: unknown): string | null {
  if ((result as unknown[]).length < VALUES_PER_PAGE) return null;
  const { offset } = readInsightPage(fields, { limit: 'limit', offset: 'offset' });
  return withParameter(url, 'offset', offset + VALUES_PER_PAGE);
}

function peopleRoutes(app: FastifyInstance, deps: InsightApiDeps, kind: InsightKind): void {
  for (const method of kind.people.methods) {
    personRoute(app, deps, {
      ...PEOPLE_DOCS[kind.people.path],
      ...bodyOf(method),
      method,
      path: `/${kind.people.path}/`,
      alsoNeeds: 'insight',
      handler: (request) => sendPeople(deps, kind, request),
    });
  }
}

async function sendPeople(
  deps: InsightApiDeps,
  kind: InsightKind,
  { project, query, body, url, reply }: Request,
): Promise<object | FastifyReply> {
  const { people } = kind;
  const fields = insightFields(query, body, kind);
  const run = startQuery(deps, { project, reply }, fields);
  const question = people.read(fields, await questionContext(deps, project, fields));
  const page = readInsightPage(fields, people.page);
  const found = await run.findPeople(question, page);
  const actor = people.actor(question);
  const fitting = await fittingActors(deps.metadata, project.id, actor, found);
  // A page that is exactly full may be the last one, and has a link to the next all the same.
  const isLast = found.length < page.limit && fitting.length === found.length;
  const { rows, answer } = peopleAnswer(people, {
    found: fitting,
    presented: await presentActors(deps.metadata, project.id, actor, fitting, people),
    next: isLast ? null : withParameter(url, people.page.offset, page.offset + fitting.length),
    initial: withParameter(url),
    freshness: run.freshness(),
  });
  if (readFormat(query) === 'json') return answer;
  return reply.type('text/csv; charset=utf-8').send(toCsv(rows as Json[], readCsvCells(query)));
}

/** The address with a parameter replaced. Callers may send brackets and quotes as they are; answers encode them. */
function withParameter(url: URL, name?: string, value?: number): string {
  const changed = new URL(url);
  if (name !== undefined) changed.searchParams.set(name, String(value));
  changed.search = changed.searchParams.toString();
  return changed.toString();
}
