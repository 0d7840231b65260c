import type { FastifyInstance } from 'fastify';
import { answerRetention, answerTrend, freshness } from '../answer-insight.ts';
import { type InsightFields, insightFields, insightPage } from '../insight-request.ts';
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
const legacy = 'insight';
const INSIGHTS = '/api/projects/:project_id/insights';

export function insightRoutes(app: FastifyInstance, deps: ApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: InsightBody } : {};
    projectRoute(app, deps, {
      method,
      url: `${INSIGHTS}/trend/`,
      legacy,
      summary: 'Numbers over time: trends, lifecycle, stickiness',
      tag,
      query: TREND_QUERY,
      ...body,
      response: TrendAnswerSchema,
      handler: async ({ project, query, body: sent, url }) => {
        const fields = insightFields(query, sent);
        const result = await answerTrend(deps, project, fields);
        const next = nextValues(url, fields, result.length);
        return { result, next, timezone: project.timezone, ...freshness(deps) };
      },
    });
    projectRoute(app, deps, {
      method,
      url: `${INSIGHTS}/retention/`,
      legacy,
      summary: 'Who came back, how long after they came',
      tag,
      query: RETENTION_QUERY,
      ...body,
      response: RetentionAnswerSchema,
      handler: async ({ project, query, body: sent }) => {
        const result = await answerRetention(deps, project, insightFields(query, sent));
        return { result, timezone: project.timezone, ...freshness(deps) };
      },
    });
  }
}

/** Values of a breakdown come in pages of this size; a full one may not be the last. */
const VALUES = 25;

function nextValues(url: URL, fields: InsightFields, found: number): string | null {
  if (found < VALUES) return null;
  const next = new URL(url);
  next.searchParams.set('offset', String(insightPage(fields).offset + VALUES));
  return next.toString();
}
