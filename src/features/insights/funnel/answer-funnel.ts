import type { ScanDeps } from '../../../query/query-deps.ts';
import type { FunnelAnswer } from '../rules/answers.ts';
import type { FunnelPeopleQuestion, FunnelQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import { type EntrantAttempts, entrantAttempts, funnelEntrants } from './funnel-entrants.ts';
import type { OnAttempt } from './funnel-matcher.ts';
import { FunnelAssembly } from './rules/assemble-funnel.ts';
import { AttemptSummariser } from './rules/attempt-summary.ts';
import { isSelected } from './rules/funnel-outcome.ts';

export async function answerFunnel(deps: ScanDeps, projectId: number, question: FunnelQuestion): Promise<FunnelAnswer> {
  const assembly = new FunnelAssembly(question);
  const summariser = new AttemptSummariser(question);
  const onAttempt: OnAttempt = (depth, times) => summariser.add(depth, times);
  for await (const entrants of funnelEntrants(deps, projectId, question, { hasNames: false })) {
    for (const { value, match } of entrants) {
      summariser.begin();
      if (match(onAttempt)) assembly.add(value, summariser.summary());
    }
  }
  return assembly.answer();
}

/** In the order of their ids. */
export async function findFunnelPeople(
  deps: ScanDeps,
  projectId: number,
  question: FunnelPeopleQuestion,
): Promise<string[]> {
  const actors = new Set<string>();
  for await (const { actor } of selectedEntrants(deps, projectId, question)) actors.add(actor);
  return [...actors].sort(compareText);
}

export async function* selectedEntrants(
  deps: ScanDeps,
  projectId: number,
  { funnel, selection, value }: FunnelPeopleQuestion,
): AsyncGenerator<EntrantAttempts> {
  const summariser = new AttemptSummariser(funnel);
  const wanted = JSON.stringify(value);
  for await (const entrant of entrantAttempts(deps, projectId, funnel)) {
    if (value !== null && JSON.stringify(entrant.value) !== wanted) continue;
    if (isSelected(funnel, selection, summariser.summarise(entrant.attempts), summariser)) yield entrant;
  }
}
