import type { FastifyInstance } from 'fastify';
import { readFunnelQuestion } from '../../core/insights/questions/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../../core/insights/questions/read-funnel-people.ts';
import { beginAsking } from '../asking.ts';
import { sendPeople } from '../journey-people.ts';
import { journeyContext, journeyFields, NO_PAGE, peopleUrl, readPeoplePage } from '../journey-question.ts';
import { presentFunnel } from '../schemas/funnel.ts';
import { FUNNEL_QUERY, InsightAnswerSchema, JourneyQuestionSchema, PeopleAnswerSchema } from '../schemas/journey.ts';
import type { ApiDeps } from './deps.ts';
import { type PersonContext, personRoute } from './person-route.ts';
import { projectRoute } from './route.ts';

const names = { limit: 'limit', offset: 'offset' };

const STEP_QUERY = {
  ...FUNNEL_QUERY,
  funnel_step: 'Those who reached this step; -2: those who reached the first and not the second.',
  funnel_step_breakdown: 'Those of this value of the breakdown.',
} as const;

export function funnelRoutes(app: FastifyInstance, deps: ApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: JourneyQuestionSchema, asks: true } : {};
    projectRoute(app, deps, {
      method,
      url: '/api/projects/:project_id/insights/funnel/',
      summary: 'How many come through a funnel, step by step, over time, or how long it takes them',
      tag: 'insights',
      query: FUNNEL_QUERY,
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

async function funnel(deps: ApiDeps, { project, query, body, request, reply }: PersonContext<unknown>) {
  const fields = journeyFields(query, body);
  const asking = beginAsking(deps, { project, reply }, fields);
  const question = readFunnelQuestion(fields, await journeyContext(deps, project, fields));
  const answer = await asking.keep(question, (own) => own.follow(project.id, question, NO_PAGE));
  const link = (asked: Parameters<typeof peopleUrl>[2]): string => peopleUrl(project.id, 'funnel', asked);
  return {
    result: presentFunnel({ question, link, isBody: request.method === 'POST' }, answer),
    timezone: project.timezone,
    ...asking.freshness(),
  };
}

async function people(deps: ApiDeps, context: PersonContext<unknown>) {
  const { project, query, body } = context;
  const fields = journeyFields(query, body);
  const question = readFunnelPeopleQuestion(fields, await journeyContext(deps, project, fields));
  const page = readPeoplePage(fields, names);
  return sendPeople(deps, context, { question, actor: question.funnel.actor, page, names });
}
