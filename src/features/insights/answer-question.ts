import type { EventStore } from '../../stores/events/event-store.ts';
import type { Page } from '../../stores/metadata/page.ts';
import { answerCorrelation, findCorrelationPeople } from './correlation/answer-correlation.ts';
import type { AnswerDeps } from './correlation/funnel-participants.ts';
import { answerFunnel, findFunnelPeople } from './funnel/answer-funnel.ts';
import { answerLifecycle } from './lifecycle/answer-lifecycle.ts';
import { answerPaths, findPathsPeople } from './paths/answer-paths.ts';
import { answerRetention } from './retention/answer-retention.ts';
import type { InsightAnswer, InsightQuestion } from './rules/answer-types.ts';
import { answerStickiness } from './stickiness/answer-stickiness.ts';
import { answerTrends } from './trends/answer-trends.ts';

/** Answers a question about what persons did. Belongs on the worker's thread: it goes through something of everybody. */
export async function answerQuestion<Q extends InsightQuestion>(
  deps: AnswerDeps,
  projectId: number,
  question: Q,
  page: Page,
): Promise<InsightAnswer<Q>> {
  return (await answer(deps, projectId, question, page)) as InsightAnswer<Q>;
}

/** The same store, whose every answer ends early when the signal is given. */
export const withSignal = (
  events: EventStore,
  signal: AbortSignal | undefined,
): Pick<EventStore, 'query' | 'queryColumns'> => ({
  query: (sql, values) => events.query(sql, values, signal),
  queryColumns: (sql, values) => events.queryColumns(sql, values, signal),
});

async function answer(deps: AnswerDeps, projectId: number, question: InsightQuestion, page: Page) {
  const cut = (actors: readonly string[]): readonly string[] => actors.slice(page.offset, page.offset + page.limit);
  switch (question.kind) {
    case 'trends':
      return answerTrends(deps, projectId, question);
    case 'stickiness':
      return answerStickiness(deps, projectId, question);
    case 'lifecycle':
      return answerLifecycle(deps, projectId, question);
    case 'retention':
      return answerRetention(deps, projectId, question);
    case 'funnel':
      return answerFunnel(deps, projectId, question);
    case 'funnel_people':
      return cut(await findFunnelPeople(deps, projectId, question));
    case 'paths':
      return answerPaths(deps, projectId, question);
    case 'paths_people':
      return cut(await findPathsPeople(deps, projectId, question));
    case 'correlation':
      return answerCorrelation(deps, projectId, question);
    case 'correlation_people':
      return cut(await findCorrelationPeople(deps, projectId, question));
  }
}
