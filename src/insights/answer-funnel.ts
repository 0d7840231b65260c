import type { FunnelAnswer } from '../core/insights/answers/answers.ts';
import { compareText } from '../core/insights/answers/assemble-trends.ts';
import { FunnelAssembly } from '../core/insights/funnel/assemble-funnel.ts';
import { isSelected } from '../core/insights/funnel/journey.ts';
import { Summariser } from '../core/insights/funnel/summary.ts';
import type { FunnelPeopleQuestion, FunnelQuestion } from '../core/insights/questions/question.ts';
import type { AskedDeps } from './asked-events.ts';
import { type Entrant, funnelEntrants, funnelJourneyers } from './funnel-entrants.ts';
import type { OnAttempt } from './funnel-walk.ts';

export async function answerFunnel(
  deps: AskedDeps,
  projectId: number,
  question: FunnelQuestion,
): Promise<FunnelAnswer> {
  const assembly = new FunnelAssembly(question);
  const summariser = new Summariser(question);
  const onAttempt: OnAttempt = (depth, times) => summariser.add(depth, times);
  for await (const journeyers of funnelJourneyers(deps, projectId, question, { hasNames: false })) {
    for (const { value, walk } of journeyers) {
      summariser.begin();
      if (walk(onAttempt)) assembly.add(value, summariser.summary());
    }
  }
  return assembly.answer();
}

/** Whom a number of a funnel counts, in the order of their ids. */
export async function funnelPeople(
  deps: AskedDeps,
  projectId: number,
  question: FunnelPeopleQuestion,
): Promise<string[]> {
  const actors = new Set<string>();
  for await (const { actor } of selectedEntrants(deps, projectId, question)) actors.add(actor);
  return [...actors].sort(compareText);
}

export async function* selectedEntrants(
  deps: AskedDeps,
  projectId: number,
  { funnel, selection, value }: FunnelPeopleQuestion,
): AsyncGenerator<Entrant> {
  const summariser = new Summariser(funnel);
  const wanted = JSON.stringify(value);
  for await (const entrant of funnelEntrants(deps, projectId, funnel)) {
    if (value !== null && JSON.stringify(entrant.value) !== wanted) continue;
    if (isSelected(funnel, selection, summariser.summarise(entrant.attempts), summariser)) yield entrant;
  }
}
