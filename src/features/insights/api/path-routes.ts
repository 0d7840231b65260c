import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { FORMAT_QUERY } from '../../../http/format.ts';
import { type PersonContext, personRoute } from '../../persons/api/person-route.ts';
import { readPathsPeopleQuestion } from '../paths/rules/read-paths.ts';
import { answerPaths } from './answer-insight.ts';
import type { InsightApiDeps } from './deps.ts';
import { sendInsight } from './insight-csv.ts';
import { startQuery } from './run-query.ts';
import { sendPeople } from './sequence-people.ts';
import { journeyContext, journeyFields, readPeoplePage } from './sequence-request.ts';
import { InsightAnswerSchema, JourneyQuestionSchema, PATH_QUERY, PeopleAnswerSchema } from './sequence-schemas.ts';

const names = { limit: 'limit', offset: 'offset' };

const EDGE_QUERY = {
  ...PATH_QUERY,
  path_start_key: 'Where the edge begins: `1_/pricing`.',
  path_end_key: 'Where it ends.',
  path_dropoff_key: 'Instead: where the path ends.',
} as const;

export function pathRoutes(app: FastifyInstance, deps: InsightApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: JourneyQuestionSchema, readOnly: true } : {};
    projectRoute(app, deps, {
      method,
      url: '/api/projects/:project_id/insights/path/',
      legacy: 'insight',
      summary: 'Which ways people take',
      tag: 'insights',
      query: { ...PATH_QUERY, ...FORMAT_QUERY },
      ...body,
      response: InsightAnswerSchema,
      handler: (context) => paths(deps, context),
    });
    personRoute(app, deps, {
      method,
      path: '/path/',
      summary: 'The persons who took an edge of a path',
      query: EDGE_QUERY,
      ...body,
      response: PeopleAnswerSchema,
      handler: (context) => people(deps, context),
    });
  }
}

async function paths(deps: InsightApiDeps, { project, query, body, url, reply }: PersonContext<unknown>) {
  const fields = journeyFields(query, body);
  const asking = startQuery(deps, { project, reply }, fields);
  const result = await answerPaths(asking, project, fields);
  const answer = { result, timezone: project.timezone, ...asking.freshness() };
  return sendInsight('path', answer, { fields, query, url, reply });
}

async function people(deps: InsightApiDeps, context: PersonContext<unknown>) {
  const { project, query, body } = context;
  const fields = journeyFields(query, body);
  const question = readPathsPeopleQuestion(fields, await journeyContext(deps, project, fields));
  const page = readPeoplePage(fields, names);
  return sendPeople(deps, context, { question, actor: { kind: 'person' }, page, names });
}
