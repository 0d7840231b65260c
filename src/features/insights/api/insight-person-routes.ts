import type { FastifyInstance } from 'fastify';
import type { Json } from '../../../core/json/json.ts';
import { toCsv } from '../../../http/csv.ts';
import { readFormat } from '../../../http/format.ts';
import { pageLinks } from '../../persons/api/person-query.ts';
import { type PersonContext, personRoute } from '../../persons/api/person-route.ts';
import { findLifecyclePeople } from '../lifecycle/answer-lifecycle.ts';
import { readLifecyclePeopleQuestion } from '../lifecycle/rules/read-lifecycle.ts';
import { findRetentionPeople } from '../retention/answer-retention.ts';
import { readRetentionPeopleQuestion } from '../retention/rules/read-retention.ts';
import { actorOfMath } from '../shared/math-sql.ts';
import { findStickinessPeople } from '../stickiness/answer-stickiness.ts';
import { readStickinessPeopleQuestion } from '../stickiness/rules/read-stickiness.ts';
import { readTrendsPeopleQuestion } from '../trends/rules/read-trends-people.ts';
import { findTrendsPeople } from '../trends/trends-people.ts';
import type { InsightApiDeps } from './deps.ts';
import { insightContext, insightFields, insightPage } from './insight-request.ts';
import * as schema from './insight-schemas.ts';
import { presentActors, presentPersons } from './present-actors.ts';
import { startQuery } from './run-query.ts';

const PERSON = { kind: 'person' } as const;

export function insightPeopleRoutes(app: FastifyInstance, deps: InsightApiDeps): void {
  personRoute(app, deps, {
    method: 'GET',
    path: '/trends/',
    summary: 'The persons behind a number of a trend, those with the most events first',
    query: schema.TREND_PEOPLE_QUERY,
    response: schema.TrendPeopleSchema,
    handler: (context) => trends(deps, context),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/lifecycle/',
    summary: 'The persons who were new, returning, resurrecting or dormant in an interval',
    query: schema.LIFECYCLE_PEOPLE_QUERY,
    response: schema.LifecyclePeopleSchema,
    handler: (context) => lifecycle(deps, context),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/stickiness/',
    summary: 'The persons who were active in so many intervals',
    query: schema.STICKINESS_PEOPLE_QUERY,
    response: schema.StickinessPeopleSchema,
    handler: (context) => stickiness(deps, context),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/retention/',
    summary: 'The persons of one cohort of retention, and when they were there',
    query: schema.RETENTION_PEOPLE_QUERY,
    response: schema.RetentionPeopleSchema,
    handler: (context) => retention(deps, context),
  });
}

/** What was asked, in the words of the wire, with what has to be known of the project. */
async function asked(deps: InsightApiDeps, { project, query, body, reply }: PersonContext<unknown>) {
  const fields = insightFields(query, body);
  const asking = startQuery(deps, { project, reply }, fields);
  return { fields, context: await insightContext(deps, project, fields), page: insightPage(fields), asking };
}

/** As CSV nothing but the persons is shown. */
const sendPeople = ({ query, reply }: PersonContext<unknown>, people: readonly unknown[], answer: object) =>
  readFormat(query) === 'json' ? answer : reply.type('text/csv; charset=utf-8').send(toCsv(people as Json[]));

async function trends(deps: InsightApiDeps, request: PersonContext<unknown>) {
  const { project, url } = request;
  const { fields, context, page, asking } = await asked(deps, request);
  const question = readTrendsPeopleQuestion(fields, context);
  const found = await asking.uncached((own) => findTrendsPeople(own, project.id, question, page));
  const values = new Map(found.map(({ actor, value }) => [actor, value]));
  const names = found.map(({ actor }) => actor);
  const actors = await presentActors(deps.metadata, project.id, actorOfMath(question.series.math), names);
  const people = actors.map(({ actor, shown }) => ({ ...shown, value_at_data_point: values.get(actor) ?? null }));
  return sendPeople(request, people, {
    results: [{ people, count: people.length }],
    next: pageLinks(url, page, found.length).next,
    initial: url.toString(),
    missing_persons: found.length - people.length,
    ...asking.freshness(),
  });
}

async function lifecycle(deps: InsightApiDeps, request: PersonContext<unknown>) {
  const { project, url } = request;
  const { fields, context, page, asking } = await asked(deps, request);
  const question = readLifecyclePeopleQuestion(fields, context);
  const found = await asking.uncached((own) => findLifecyclePeople(own, project.id, question, page));
  const people = await presentPersons(deps.metadata, project.id, found);
  const results = [{ people, count: people.length }];
  return sendPeople(request, people, { results, next: pageLinks(url, page, found.length).next });
}

async function stickiness(deps: InsightApiDeps, request: PersonContext<unknown>) {
  const { project, url } = request;
  const { fields, context, page, asking } = await asked(deps, request);
  const question = readStickinessPeopleQuestion(fields, context);
  const found = await asking.uncached((own) => findStickinessPeople(own, project.id, question, page));
  const actors = await presentActors(deps.metadata, project.id, actorOfMath(question.series.math), found);
  const people = actors.map(({ shown }) => shown);
  const results = [{ people, count: people.length }];
  return sendPeople(request, people, { results, next: pageLinks(url, page, found.length).next });
}

async function retention(deps: InsightApiDeps, request: PersonContext<unknown>) {
  const { project, url } = request;
  const { fields, context, page, asking } = await asked(deps, request);
  const question = readRetentionPeopleQuestion(fields, context);
  const found = await asking.uncached((own) => findRetentionPeople(own, project.id, question, page));
  const appearances = new Map(found.map((one) => [one.actor, one.appearances]));
  const names = found.map(({ actor }) => actor);
  const actors = await presentActors(deps.metadata, project.id, PERSON, names);
  const result = actors.map(({ actor, shown }) => ({
    person: shown,
    appearances: [...(appearances.get(actor) ?? [])],
  }));
  const missing_persons = found.length - result.length;
  return sendPeople(request, result, { result, next: pageLinks(url, page, found.length).next, missing_persons });
}
