import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { Page } from '../../stores/metadata/page.ts';
import { answerQuestion, withSignal } from './answer-question.ts';
import type { InsightAnswer } from './rules/answers.ts';
import type { InsightQuestion } from './rules/question.ts';

interface InsightWorkerDeps extends QueryDeps {
  events: EventStore;
}

/** What insights do on the worker thread. */
export const insightWorkerMethods = (deps: InsightWorkerDeps) => ({
  /** Answers a question; of persons only the page. */
  answerQuestion: <Q extends InsightQuestion>(
    projectId: number,
    question: Q,
    page: Page,
    signal?: AbortSignal,
  ): Promise<InsightAnswer<Q>> =>
    answerQuestion({ ...deps, events: withSignal(deps.events, signal), signal }, projectId, question, page),
});
