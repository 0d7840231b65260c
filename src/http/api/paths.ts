import type { FastifyInstance } from 'fastify';
import type { PathEdge } from '../../core/insights/answers/answers.ts';
import { pathLink } from '../../core/insights/answers/people-links.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../../core/insights/questions/read-paths.ts';
import { beginAsking } from '../asking.ts';
import { sendPeople } from '../journey-people.ts';
import { journeyContext, journeyFields, NO_PAGE, peopleUrl, readPeoplePage } from '../journey-question.ts';
import { InsightAnswerSchema, JourneyQuestionSchema, PATH_QUERY, PeopleAnswerSchema } from '../schemas/journey.ts';
import type { ApiDeps } from './deps.ts';
import { type PersonContext, personRoute } from './person-route.ts';
import { projectRoute } from './route.ts';

const names = { limit: 'limit', offset: 'offset' };

const EDGE_QUERY = {
  ...PATH_QUERY,
  path_start_key: 'Where the edge begins: `1_/pricing`.',
  path_end_key: 'Where it ends.',
  path_dropoff_key: 'Instead: where the path ends.',
} as const;

export function pathRoutes(app: FastifyInstance, deps: ApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: JourneyQuestionSchema, asks: true } : {};
    projectRoute(app, deps, {
      method,
      url: '/api/projects/:project_id/insights/path/',
      summary: 'Which ways people take',
      tag: 'insights',
      query: PATH_QUERY,
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

async function paths(deps: ApiDeps, { project, query, body, reply }: PersonContext<unknown>) {
  const fields = journeyFields(query, body);
  const asking = beginAsking(deps, { project, reply }, fields);
  const question = readPathsQuestion(fields, await journeyContext(deps, project, fields));
  const edges = await asking.keep(question, (own) => own.follow(project.id, question, NO_PAGE));
  const present = (edge: PathEdge) => ({
    source: edge.source,
    target: edge.target,
    value: edge.value,
    average_conversion_time: edge.averageTime,
    people_url: peopleUrl(project.id, 'path', pathLink(question, edge)),
  });
  return {
    result: edges.map(present),
    timezone: project.timezone,
    ...asking.freshness(),
  };
}

async function people(deps: ApiDeps, context: PersonContext<unknown>) {
  const { project, query, body } = context;
  const fields = journeyFields(query, body);
  const question = readPathsPeopleQuestion(fields, await journeyContext(deps, project, fields));
  const page = readPeoplePage(fields, names);
  return sendPeople(deps, context, { question, actor: { kind: 'person' }, page, names });
}
