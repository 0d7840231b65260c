/**
 * Answers of insights in the words of the wire, whoever asks: the endpoints that answer a question once, saved insights,
 * and dashboards. Every question that is answered here is noted for those who want to know what is used.
 */

import type { Project } from '../../../stores/metadata/accounts.ts';
import { presentFunnel } from '../funnel/present-funnel.ts';
import { readFunnelQuestion } from '../funnel/rules/read-funnel.ts';
import { readLifecycleQuestion } from '../lifecycle/rules/read-lifecycle.ts';
import { readPathsQuestion } from '../paths/rules/read-paths.ts';
import { readRetentionQuestion } from '../retention/rules/read-retention.ts';
import type { PathEdge } from '../rules/answers.ts';
import { readInsightName } from '../rules/insight-kind.ts';
import { pathLink } from '../rules/people-links.ts';
import { readEntities } from '../rules/read-entity.ts';
import { readStickinessQuestion } from '../stickiness/rules/read-stickiness.ts';
import { readTrendKind, readTrendsQuestion } from '../trends/rules/read-trends.ts';
import type { InsightApiDeps } from './deps.ts';
import { type InsightFields, insightContext, linkIn } from './insight-request.ts';
import { presentLifecycle, presentRetention, presentStickiness, presentTrend } from './present-trends.ts';
import type { QueryRun } from './run-query.ts';
import { journeyContext, NO_PAGE, peopleUrl } from './sequence-request.ts';

/** What a question is read with, before it is asked. */
export type CheckDeps = Pick<
  InsightApiDeps,
  'metadata' | 'clock' | 'events' | 'dialect' | 'mirrorPersons' | 'answerQuestion' | 'usage'
>;

/** Any insight, by what its field `insight` says it is. */
export function answerInsight(asking: QueryRun, project: Project, fields: InsightFields): Promise<unknown> {
  switch (readInsightName(fields)) {
    case 'FUNNELS':
      return answerFunnel(asking, project, fields, true);
    case 'RETENTION':
      return answerRetention(asking, project, fields);
    case 'PATHS':
      return answerPaths(asking, project, fields);
    case 'TRENDS':
    case 'STICKINESS':
    case 'LIFECYCLE':
      return answerTrend(asking, project, fields);
  }
}

/** Refuses a question that could not be answered: reads it, and asks nobody. */
export async function checkInsight(deps: CheckDeps, project: Project, fields: InsightFields): Promise<void> {
  const name = readInsightName(fields);
  const context = await journeyContext(deps, project, fields);
  if (name === 'FUNNELS') readFunnelQuestion(fields, context);
  else if (name === 'RETENTION') readRetentionQuestion(fields, context);
  else if (name === 'PATHS') readPathsQuestion(fields, context);
  else if (name === 'LIFECYCLE') readLifecycleQuestion(fields, context);
  else if (name === 'STICKINESS') readStickinessQuestion(fields, context);
  else readTrendsQuestion(fields, context);
}

/** Trends, lifecycle or stickiness: they share a road. */
export async function answerTrend(asking: QueryRun, project: Project, fields: InsightFields) {
  const { deps } = asking;
  const context = await insightContext(deps, project, fields);
  const presenting = { listed: readEntities(fields, context), linkTo: linkIn(project.id) };
  switch (readTrendKind(fields)) {
    case 'trends': {
      const question = readTrendsQuestion(fields, context);
      deps.usage.record(project.id, question);
      const items = await asking.cached(question, (own) => own.answerQuestion(project.id, question, NO_PAGE));
      return items.map((item) => presentTrend(question, item, presenting));
    }
    case 'lifecycle': {
      const question = readLifecycleQuestion(fields, context);
      deps.usage.record(project.id, question);
      const items = await asking.cached(question, (own) => own.answerQuestion(project.id, question, NO_PAGE));
      return items.map((item) => presentLifecycle(question, item, presenting));
    }
    case 'stickiness': {
      const question = readStickinessQuestion(fields, context);
      deps.usage.record(project.id, question);
      const items = await asking.cached(question, (own) => own.answerQuestion(project.id, question, NO_PAGE));
      return items.map((item) => presentStickiness(question, item, presenting));
    }
  }
}

export async function answerRetention(asking: QueryRun, project: Project, fields: InsightFields) {
  const { deps } = asking;
  const question = readRetentionQuestion(fields, await insightContext(deps, project, fields));
  deps.usage.record(project.id, question);
  const rows = await asking.cached(question, (own) => own.answerQuestion(project.id, question, NO_PAGE));
  const linkTo = linkIn(project.id);
  return rows.map((row, at) => presentRetention(question, row, at, linkTo));
}

/** `isBody`: the question came in a body, and values of its breakdown are shown as such clients know them. */
export async function answerFunnel(asking: QueryRun, project: Project, fields: InsightFields, isBody: boolean) {
  const { deps } = asking;
  const question = readFunnelQuestion(fields, await journeyContext(deps, project, fields));
  deps.usage.record(project.id, question);
  const answer = await asking.cached(question, (own) => own.answerQuestion(project.id, question, NO_PAGE));
  const link = (asked: Parameters<typeof peopleUrl>[2]): string => peopleUrl(project.id, 'funnel', asked);
  return presentFunnel({ question, link, isBody }, answer);
}

export async function answerPaths(asking: QueryRun, project: Project, fields: InsightFields) {
  const { deps } = asking;
  const question = readPathsQuestion(fields, await journeyContext(deps, project, fields));
  deps.usage.record(project.id, question);
  const edges = await asking.cached(question, (own) => own.answerQuestion(project.id, question, NO_PAGE));
  const present = (edge: PathEdge) => ({
    source: edge.source,
    target: edge.target,
    value: edge.value,
    average_conversion_time: edge.averageTime,
    people_url: peopleUrl(project.id, 'path', pathLink(question, edge)),
  });
  return edges.map(present);
}
