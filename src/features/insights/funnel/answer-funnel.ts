import type { ScanDeps } from '../../../query/query-deps.ts';
import type { FunnelAnswer } from '../rules/answers.ts';
import type { FunnelPeopleQuestion, FunnelQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import { type InsightDeps, inHalves } from '../shared/second-thread.ts';
import { type EntrantAttempts, entrantAttempts, funnelEntrants, prepareFunnel } from './funnel-entrants.ts';
import { funnelKeys } from './funnel-events.ts';
import type { OnAttempt } from './funnel-matcher.ts';
import { FunnelAssembly } from './rules/assemble-funnel.ts';
import { AttemptSummariser } from './rules/attempt-summary.ts';
import { isSelected } from './rules/funnel-outcome.ts';

export async function answerFunnel(
  deps: InsightDeps,
  projectId: number,
  question: FunnelQuestion,
): Promise<FunnelAnswer> {
  const assembly = new FunnelAssembly(question);
  if (question.steps.length === 0) return assembly.answer();
  const prepared = await prepareFunnel(deps, projectId, question, { hasNames: false });
  const batches = funnelKeys(deps, prepared.query, question, prepared.codes);
  if (batches === null) await addEntrants(deps, question, prepared, assembly);
  for await (const keys of batches ?? []) {
    const counts = await inHalves(deps, keys, ({ countFunnel }, rows, part) =>
      countFunnel(question, rows, part, deps.signal),
    );
    for (const one of counts) assembly.addCounts(one);
  }
  return assembly.answer();
}

async function addEntrants(
  deps: ScanDeps,
  question: FunnelQuestion,
  prepared: Awaited<ReturnType<typeof prepareFunnel>>,
  assembly: FunnelAssembly,
): Promise<void> {
  const summariser = new AttemptSummariser(question);
  const onAttempt: OnAttempt = (depth, times) => summariser.add(depth, times);
  for await (const entrants of funnelEntrants(deps, question, prepared)) {
    for (const { value, match } of entrants) {
      summariser.begin();
      if (match(onAttempt)) assembly.add(value, summariser.summary());
    }
  }
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
