import type { FastifyInstance } from 'fastify';
import type { Json } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { FORMAT_QUERY } from '../../../http/format.ts';
import { answerRetention, answerTrend } from './answer-insight.ts';
import type { InsightApiDeps } from './deps.ts';
import { sendInsight, sendTable } from './insight-csv.ts';
import { type InsightFields, insightFields, insightPage } from './insight-request.ts';
import {
  InsightBody,
  RETENTION_QUERY,
  RetentionAnswerSchema,
  TREND_QUERY,
  TrendAnswerSchema,
} from './insight-schemas.ts';
import { startQuery } from './run-query.ts';

const tag = 'insights';
const legacy = 'insight';
const INSIGHTS = '/api/projects/:project_id/insights';

export function insightRoutes(app: FastifyInstance, deps: InsightApiDeps): void {
  for (const method of ['GET', 'POST'] as const) {
    const body = method === 'POST' ? { body: InsightBody, readOnly: true } : {};
    projectRoute(app, deps, {
      method,
      url: `${INSIGHTS}/trend/`,
      legacy,
      summary: 'Numbers over time: trends, lifecycle, stickiness',
      tag,
      query: { ...TREND_QUERY, ...FORMAT_QUERY },
      ...body,
      response: TrendAnswerSchema,
      handler: async ({ project, query, body: sent, url, reply }) => {
        const fields = insightFields(query, sent);
        const asking = startQuery(deps, { project, reply }, fields);
        const result = await answerTrend(asking, project, fields);
        const next = nextValues(url, fields, result.length);
        const answer = { result, next, timezone: project.timezone, ...asking.freshness() };
        return sendInsight('trend', answer, { fields, query, url, reply });
      },
    });
    projectRoute(app, deps, {
      method,
      url: `${INSIGHTS}/retention/`,
      legacy,
      summary: 'Who came back, how long after they came',
      tag,
      query: { ...RETENTION_QUERY, ...FORMAT_QUERY },
      ...body,
      response: RetentionAnswerSchema,
      handler: async ({ project, query, body: sent, url, reply }) => {
        const fields = insightFields(query, sent);
        const asking = startQuery(deps, { project, reply }, fields);
        const result = await answerRetention(asking, project, fields);
        const answer = { result, timezone: project.timezone, ...asking.freshness() };
        return sendInsight('retention', answer, { fields, query, url, reply });
      },
    });
  }
  projectRoute(app, deps, {
    method: 'GET',
    url: `${INSIGHTS}/trend.csv`,
    legacy,
    summary: 'The same as a table: a line for each series',
    tag,
    hidden: true,
    handler: async ({ project, query, url, reply }) => {
      const fields = insightFields(query, {});
      const asking = startQuery(deps, { project, reply }, fields);
      return sendTable('trend', (await answerTrend(asking, project, fields)) as Json, { fields, url, reply });
    },
  });
}

/** Values of a breakdown come in pages of this size; a full one may not be the last. */
const VALUES = 25;

function nextValues(url: URL, fields: InsightFields, found: number): string | null {
  if (found < VALUES) return null;
  const next = new URL(url);
  next.searchParams.set('offset', String(insightPage(fields).offset + VALUES));
  return next.toString();
}
