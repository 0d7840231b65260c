import type { FastifyInstance } from 'fastify';
import type { QuestionContext } from '../../core/insights/questions/context.ts';
import { readEntities } from '../../core/insights/questions/read-entity.ts';
import { readLifecycleQuestion } from '../../core/insights/questions/read-lifecycle.ts';
import { readRetentionQuestion } from '../../core/insights/questions/read-retention.ts';
import { readStickinessQuestion } from '../../core/insights/questions/read-stickiness.ts';
import { readTrendKind, readTrendsQuestion } from '../../core/insights/questions/read-trends.ts';
import { askLifecycle } from '../../insights/ask/lifecycle.ts';
import { askRetention } from '../../insights/ask/retention.ts';
import { askStickiness } from '../../insights/ask/stickiness.ts';
import { askTrends } from '../../insights/ask/trends.ts';
import type { Project } from '../../stores/records.ts';
import { type Asking, beginAsking } from '../asking.ts';
import { type InsightFields, insightContext, insightFields, insightPage, linkIn } from '../insight-request.ts';
import {
  type Presenting,
  presentLifecycle,
  presentRetention,
  presentStickiness,
  presentTrend,
} from '../present-trends.ts';
import {
  InsightBody,
  RETENTION_QUERY,
  RetentionAnswerSchema,
  TREND_QUERY,
  TrendAnswerSchema,
} from '../schemas/insight.ts';
import type { ApiDeps } from './deps.ts';
import { projectRoute } from './route.ts';

const tag = 'insights';
const INSIGHTS = '/api/projects/:project_id/insights';

export function insightRoutes(app: FastifyInstance, deps: ApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: InsightBody, asks: true } : {};
    projectRoute(app, deps, {
      method,
      url: `${INSIGHTS}/trend/`,
      summary: 'Numbers over time: trends, lifecycle, stickiness',
      tag,
      query: TREND_QUERY,
      ...body,
      response: TrendAnswerSchema,
      handler: async ({ project, query, body: sent, url, reply }) => {
        const fields = insightFields(query, sent);
        const asking = beginAsking(deps, { project, reply }, fields);
        const result = await askTrendKind(deps, asking, project, fields);
        const next = nextValues(url, fields, result.length);
        return { result, next, timezone: project.timezone, ...asking.freshness() };
      },
    });
    projectRoute(app, deps, {
      method,
      url: `${INSIGHTS}/retention/`,
      summary: 'Who came back, how long after they came',
      tag,
      query: RETENTION_QUERY,
      ...body,
      response: RetentionAnswerSchema,
      handler: async ({ project, query, body: sent, reply }) => {
        const fields = insightFields(query, sent);
        const asking = beginAsking(deps, { project, reply }, fields);
        const question = readRetentionQuestion(fields, await insightContext(deps, project, fields));
        const rows = await asking.keep(question, (own) => askRetention(own, project.id, question));
        const linkTo = linkIn(project.id);
        const result = rows.map((row, at) => presentRetention(question, row, at, linkTo));
        return { result, timezone: project.timezone, ...asking.freshness() };
      },
    });
  }
}

async function askTrendKind(deps: ApiDeps, asking: Asking, project: Project, fields: InsightFields) {
  const context = await insightContext(deps, project, fields);
  const presenting = { listed: readEntities(fields, context), linkTo: linkIn(project.id) };
  switch (readTrendKind(fields)) {
    case 'trends':
      return trends(asking, project, fields, context, presenting);
    case 'lifecycle': {
      const question = readLifecycleQuestion(fields, context);
      const items = await asking.keep(question, (own) => askLifecycle(own, project.id, question));
      return items.map((item) => presentLifecycle(question, item, presenting));
    }
    case 'stickiness': {
      const question = readStickinessQuestion(fields, context);
      const items = await asking.keep(question, (own) => askStickiness(own, project.id, question));
      return items.map((item) => presentStickiness(question, item, presenting));
    }
  }
}

async function trends(
  asking: Asking,
  project: Project,
  fields: InsightFields,
  context: QuestionContext,
  presenting: Presenting,
) {
  const question = readTrendsQuestion(fields, context);
  const items = await asking.keep(question, (own) => askTrends(own, project.id, question));
  return items.map((item) => presentTrend(question, item, presenting));
}

/** Values of a breakdown come in pages of this size; a full one may not be the last. */
const VALUES = 25;

function nextValues(url: URL, fields: InsightFields, found: number): string | null {
  if (found < VALUES) return null;
  const next = new URL(url);
  next.searchParams.set('offset', String(insightPage(fields).offset + VALUES));
  return next.toString();
}
