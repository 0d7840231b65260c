import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { FORMAT_QUERY } from '../../../http/format.ts';
import { type PersonContext, personRoute } from '../../persons/api/person-route.ts';
import { readCorrelationPeopleQuestion, readCorrelationQuestion } from '../correlation/rules/read-correlation.ts';
import type { Correlation } from '../rules/answers.ts';
import { correlationLink } from '../rules/people-links.ts';
import type { InsightApiDeps } from './deps.ts';
import { sendInsight } from './insight-csv.ts';
import { startQuery } from './run-query.ts';
import { sendPeople } from './sequence-people.ts';
import { journeyContext, journeyFields, NO_PAGE, peopleUrl, readPeoplePage } from './sequence-request.ts';
import {
  CORRELATION_QUERY,
  CorrelationAnswerSchema,
  JourneyQuestionSchema,
  PeopleAnswerSchema,
} from './sequence-schemas.ts';

const names = { limit: 'funnel_correlation_person_limit', offset: 'funnel_correlation_person_offset' };

const TRAIT_QUERY = {
  ...CORRELATION_QUERY,
  funnel_correlation_person_entity: 'JSON: the event that they did, `{id, type, properties}`.',
  funnel_correlation_property_values: 'JSON: filters on what they are.',
  funnel_correlation_person_converted: '`true` or `false`; both when absent.',
  [names.limit]: 'How many to show: 100 unless given, 1000 at the most.',
  [names.offset]: 'How many to pass over.',
};

export function correlationRoutes(app: FastifyInstance, deps: InsightApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: JourneyQuestionSchema, readOnly: true } : {};
    projectRoute(app, deps, {
      method,
      url: '/api/projects/:project_id/insights/funnel/correlation/',
      legacy: 'insight',
      summary: 'What those who came through a funnel did, or are, more often than the others',
      tag: 'insights',
      query: { ...CORRELATION_QUERY, ...FORMAT_QUERY },
      ...body,
      response: CorrelationAnswerSchema,
      handler: (context) => correlation(deps, context),
    });
    personRoute(app, deps, {
      method,
      path: '/funnel/correlation/',
      summary: 'The persons behind a number of a correlation',
      query: TRAIT_QUERY,
      ...body,
      response: PeopleAnswerSchema,
      handler: (context) => people(deps, context),
    });
  }
}

async function correlation(deps: InsightApiDeps, { project, query, body, url, reply }: PersonContext<unknown>) {
  const fields = journeyFields(query, body);
  const asking = startQuery(deps, { project, reply }, fields);
  const question = readCorrelationQuestion(fields, await journeyContext(deps, project, fields));
  deps.usage.record(project.id, question);
  const { events, isSkewed } = await asking.cached(question, (own) =>
    own.answerQuestion(project.id, question, NO_PAGE),
  );
  const link = (one: Correlation, hasConverted: boolean): string =>
    peopleUrl(project.id, 'funnel/correlation', correlationLink(question, one, hasConverted));
  const present = (one: Correlation) => ({
    event: { event: one.name, properties: {}, elements: [] },
    success_count: one.success,
    failure_count: one.failure,
    odds_ratio: one.oddsRatio,
    correlation_type: one.oddsRatio > 1 ? 'success' : 'failure',
    success_people_url: link(one, true),
    failure_people_url: link(one, false),
  });
  const answer = { result: { events: events.map(present), skewed: isSkewed }, ...asking.freshness() };
  return sendInsight('correlation', answer, { fields, query, url, reply });
}

async function people(deps: InsightApiDeps, context: PersonContext<unknown>) {
  const { project, query, body } = context;
  const fields = journeyFields(query, body);
  const question = readCorrelationPeopleQuestion(fields, await journeyContext(deps, project, fields));
  const page = readPeoplePage(fields, names);
  return sendPeople(deps, context, { question, actor: question.correlation.funnel.actor, page, names });
}
