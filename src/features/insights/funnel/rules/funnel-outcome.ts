import { addUnits } from '../../../../core/time/interval.ts';
import type { Range } from '../../../../core/time/range.ts';
import { tickIndex } from '../../../../core/time/ticks.ts';
import type { FunnelPath, FunnelPeopleQuestion, FunnelQuestion, FunnelSelection } from '../../rules/question.ts';
import type { AttemptSummariser, AttemptSummary, FunnelAttempt } from './attempt-summary.ts';

/** Whether an actor converted, and between which times (both exclusive) they were in the funnel. */
export interface FunnelOutcome {
  hasConverted: boolean;
  from: number;
  until: number;
}

/** From the first step of the deepest attempts to their last step, or for the length of the window. */
export function outcomeOf(
  { steps, window, timezone }: FunnelQuestion,
  attempts: readonly FunnelAttempt[],
): FunnelOutcome {
  const best = bestAttempts(attempts);
  const hasConverted = bestDepth(attempts) === steps.length;
  let [from, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { start, times } of best) {
    from = Math.min(from, start);
    last = Math.max(last, times.at(-1) ?? last);
  }
  return { hasConverted, from, until: hasConverted ? last : addUnits(from, window.count, window.unit, timezone) };
}

function bestDepth(attempts: readonly FunnelAttempt[]): number {
  let depth = 0;
  for (const attempt of attempts) if (attempt.depth > depth) depth = attempt.depth;
  return depth;
}

function bestAttempts(attempts: readonly FunnelAttempt[]): FunnelAttempt[] {
  const depth = bestDepth(attempts);
  return attempts.filter((attempt) => attempt.depth === depth);
}

/** Whether a number of a funnel counts this actor. */
export function isSelected(
  { fromStep, toStep }: FunnelQuestion,
  selection: FunnelSelection,
  { depth, depthByTick }: AttemptSummary,
  { ticks }: Pick<AttemptSummariser, 'ticks'>,
): boolean {
  switch (selection.kind) {
    case 'reached':
      return depth >= selection.step;
    case 'dropped':
      return depth === selection.step - 1;
    case 'exactly':
      return selection.steps.includes(depth);
    case 'entered': {
      const tick = tickIndex(ticks, selection.period);
      const then = tick < 0 ? 0 : (depthByTick.get(tick) ?? 0);
      return selection.isDropOff ? then > fromStep && then <= toStep : then > toStep;
    }
  }
}

/** When the path of an actor at a step of a funnel starts and ends; null where they never reached it. */
export function pathRange(
  path: FunnelPath,
  people: FunnelPeopleQuestion,
  attempts: readonly FunnelAttempt[],
): Range | null {
  const { funnel, selection } = people;
  const step = selection.kind === 'reached' || selection.kind === 'dropped' ? selection.step : 1;
  const at = selection.kind === 'dropped' ? step - 1 : step;
  const best = attempts.toSorted((a, b) => b.depth - a.depth || a.start - b.start)[0];
  const [reached, before] = [best?.times[at - 1] ?? null, best?.times[at - 2] ?? null];
  if (reached === null) return null;
  const { count, unit } = funnel.window;
  const after = (from: number, windows: number): number => addUnits(from, windows * count, unit, funnel.timezone);
  if (path === 'funnel_path_after_step') return { from: reached, until: after(reached, 1) + 1 };
  if (path === 'funnel_path_before_step') return { from: after(reached, -1), until: reached + 1 };
  return before === null ? null : { from: before, until: reached + 1 };
}
