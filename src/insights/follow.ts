import type { JourneyAnswer, JourneyQuestion } from '../core/insights/answers/journey-answer.ts';
import type { Page } from '../stores/metadata-store.ts';
import { answerFunnel, funnelPeople } from './answer-funnel.ts';
import type { AskedDeps } from './asked-events.ts';

/** Answers a question about journeys. Belongs on the worker's thread: it goes through the events of everybody. */
export async function follow<Q extends JourneyQuestion>(
  deps: AskedDeps,
  projectId: number,
  question: Q,
  page: Page,
): Promise<JourneyAnswer<Q>> {
  return (await answer(deps, projectId, question, page)) as JourneyAnswer<Q>;
}

async function answer(deps: AskedDeps, projectId: number, question: JourneyQuestion, page: Page) {
  const cut = (actors: readonly string[]): readonly string[] => actors.slice(page.offset, page.offset + page.limit);
  switch (question.kind) {
    case 'funnel':
      return answerFunnel(deps, projectId, question);
    case 'funnel_people':
      return cut(await funnelPeople(deps, projectId, question));
    default:
      throw new Error(`nobody answers ${question.kind}`);
  }
}
