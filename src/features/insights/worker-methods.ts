import type { QueryDeps } from '../../query/query-deps.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { Page } from '../../stores/metadata/page.ts';
import { kindOf } from './kinds.ts';
import type { InsightAnswer } from './rules/answers.ts';
import type { InsightQuestion, PeopleQuestion, Question } from './rules/question.ts';
import type { InsightDeps } from './shared/second-thread.ts';

interface InsightWorkerDeps extends QueryDeps, Pick<InsightDeps, 'secondThread'> {
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

/** Answers any question. Runs on the worker thread: it may read something of every person. */
export async function answerQuestion<Q extends InsightQuestion>(
  deps: InsightDeps,
  projectId: number,
  question: Q,
  page: Page,
): Promise<InsightAnswer<Q>> {
  const { people, answer } = kindOf(question);
  const answered = isForPeople(question)
    ? people.find(deps, projectId, question, page)
    : answer(deps, projectId, question as Question);
  return (await answered) as InsightAnswer<Q>;
}

const isForPeople = (question: InsightQuestion): question is PeopleQuestion => question.kind.endsWith('_people');

/** The same store, whose queries end early when the signal is aborted. */
export const withSignal = (
  events: EventStore,
  signal: AbortSignal | undefined,
): Pick<EventStore, 'query' | 'queryColumns'> => ({
  query: (sql, values) => events.query(sql, values, signal),
  queryColumns: (sql, values) => events.queryColumns(sql, values, signal),
});
