import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { FORMAT_QUERY } from '../../../http/format.ts';
import { type PersonContext, personRoute } from '../../persons/api/person-route.ts';
import { readFunnelPeopleQuestion } from '../funnel/rules/read-funnel-people.ts';
import { answerFunnel } from './answer-insight.ts';
import type { InsightApiDeps } from './deps.ts';
import { sendInsight } from './insight-csv.ts';
import { startQuery } from './run-query.ts';
import { sendPeople } from './sequence-people.ts';
import { journeyContext, journeyFields, readPeoplePage } from './sequence-request.ts';
import { FUNNEL_QUERY, InsightAnswerSchema, JourneyQuestionSchema, PeopleAnswerSchema } from './sequence-schemas.ts';

const names = { limit: 'limit', offset: 'offset' };

const STEP_QUERY = {
  ...FUNNEL_QUERY,
  funnel_step: 'Those who reached this step; -2: those who reached the first and not the second.',
  funnel_step_breakdown: 'Those of this value of the breakdown.',
} as const;

export function funnelRoutes(app: FastifyInstance, deps: InsightApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: JourneyQuestionSchema, readOnly: true } : {};
    projectRoute(app, deps, {
      method,
      url: '/api/projects/:project_id/insights/funnel/',
      legacy: 'insight',
      summary: 'How many come through a funnel, step by step, over time, or how long it takes them',
      tag: 'insights',
      query: { ...FUNNEL_QUERY, ...FORMAT_QUERY },
      ...body,
      response: InsightAnswerSchema,
      handler: (context) => funnel(deps, context),
    });
    personRoute(app, deps, {
      method,
      path: '/funnel/',
      summary: 'The persons behind a number of a funnel',
      query: STEP_QUERY,
      ...body,
      response: PeopleAnswerSchema,
      handler: (context) => people(deps, context),
    });
  }
}

async function funnel(deps: InsightApiDeps, { project, query, body, request, url, reply }: PersonContext<unknown>) {
  const fields = journeyFields(query, body);
  const asking = startQuery(deps, { project, reply }, fields);
  const result = await answerFunnel(asking, project, fields, request.method === 'POST');
  const answer = { result, timezone: project.timezone, ...asking.freshness() };
  return sendInsight('funnel', answer, { fields, query, url, reply });
}

async function people(deps: InsightApiDeps, context: PersonContext<unknown>) {
  const { project, query, body } = context;
  const fields = journeyFields(query, body);
  const question = readFunnelPeopleQuestion(fields, await journeyContext(deps, project, fields));
  const page = readPeoplePage(fields, names);
  return sendPeople(deps, context, { question, actor: question.funnel.actor, page, names });
}
