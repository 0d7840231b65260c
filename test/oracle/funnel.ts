import { FunnelAssembly } from '../../src/features/insights/funnel/rules/assemble-funnel.ts';
import { AttemptSummariser } from '../../src/features/insights/funnel/rules/attempt-summary.ts';
import { isSelected } from '../../src/features/insights/funnel/rules/funnel-outcome.ts';
import type { FunnelAnswer } from '../../src/features/insights/rules/answers.ts';
import type { FunnelPeopleQuestion, FunnelQuestion } from '../../src/features/insights/rules/question.ts';
import { compareText } from '../../src/features/insights/rules/statistics.ts';
import { type Entrant, entrantsOf } from './funnel-groups.ts';
import { distinct } from './measure.ts';
import type { World } from './world.ts';

export function answerFunnel(question: FunnelQuestion, world: World): FunnelAnswer {
  const assembly = new FunnelAssembly(question);
  const summariser = new AttemptSummariser(question);
  for (const { value, attempts } of entrantsOf(question, world)) assembly.add(value, summariser.summarise(attempts));
  return assembly.answer();
}

/** In the order of their ids. */
export const funnelPeople = (question: FunnelPeopleQuestion, world: World): string[] =>
  distinct(selectedEntrants(question, world).map(({ actor }) => actor)).sort(compareText);

export function selectedEntrants({ funnel, selection, value }: FunnelPeopleQuestion, world: World): Entrant[] {
  const summariser = new AttemptSummariser(funnel);
  return entrantsOf(funnel, world).filter(
    (entrant) =>
      (value === null || JSON.stringify(entrant.value) === JSON.stringify(value)) &&
      isSelected(funnel, selection, summariser.summarise(entrant.attempts), summariser),
  );
}
