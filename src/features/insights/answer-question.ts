import type { EventStore } from '../../stores/events/event-store.ts';
import type { Page } from '../../stores/metadata/page.ts';
import { answerCorrelation, correlationPeople } from './correlation/answer-correlation.ts';
import type { TravelDeps } from './correlation/funnel-participants.ts';
import { answerFunnel, funnelPeople } from './funnel/answer-funnel.ts';
import { askLifecycle } from './lifecycle/answer-lifecycle.ts';
import { answerPaths, pathsPeople } from './paths/answer-paths.ts';
import { askRetention } from './retention/answer-retention.ts';
import type { JourneyAnswer, JourneyQuestion } from './rules/answer-types.ts';
import { askStickiness } from './stickiness/answer-stickiness.ts';
import { askTrends } from './trends/answer-trends.ts';

/** Answers a question about what persons did. Belongs on the worker's thread: it goes through something of everybody. */
export async function follow<Q extends JourneyQuestion>(
  deps: TravelDeps,
  projectId: number,
  question: Q,
  page: Page,
): Promise<JourneyAnswer<Q>> {
  return (await answer(deps, projectId, question, page)) as JourneyAnswer<Q>;
}

/** The same store, whose every answer ends early when the signal is given. */
export const endingWith = (
  events: EventStore,
  signal: AbortSignal | undefined,
): Pick<EventStore, 'query' | 'columns'> => ({
  query: (sql, values) => events.query(sql, values, signal),
  columns: (sql, values) => events.columns(sql, values, signal),
});

async function answer(deps: TravelDeps, projectId: number, question: JourneyQuestion, page: Page) {
  const cut = (actors: readonly string[]): readonly string[] => actors.slice(page.offset, page.offset + page.limit);
  switch (question.kind) {
    case 'trends':
      return askTrends(deps, projectId, question);
    case 'stickiness':
      return askStickiness(deps, projectId, question);
    case 'lifecycle':
      return askLifecycle(deps, projectId, question);
    case 'retention':
      return askRetention(deps, projectId, question);
    case 'funnel':
      return answerFunnel(deps, projectId, question);
    case 'funnel_people':
      return cut(await funnelPeople(deps, projectId, question));
    case 'paths':
      return answerPaths(deps, projectId, question);
    case 'paths_people':
      return cut(await pathsPeople(deps, projectId, question));
    case 'correlation':
      return answerCorrelation(deps, projectId, question);
    case 'correlation_people':
      return cut(await correlationPeople(deps, projectId, question));
  }
}
