import { addUnits } from '../../../../core/time/interval.ts';
import type { Range } from '../../../../core/time/range.ts';
import { tickIndex } from '../../../../core/time/ticks.ts';
import type { FunnelPath, FunnelPeopleQuestion, FunnelQuestion, FunnelSelection } from '../../rules/question.ts';
import { bestAttempts, bestDepth, type FunnelAttempt } from './attempt.ts';
import type { AttemptSummariser, AttemptSummary } from './summary.ts';

/** How somebody went through a funnel: when the way began, and when it ended or the window closed; both outside of it. */
export interface FunnelOutcome {
  hasConverted: boolean;
  from: number;
  until: number;
}

/** From the first step of the first attempt of best depth to its last, or for the window's length. */
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

/** Whether somebody is among those whom a number of a funnel counts. */
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

/** When the path of somebody who is at a step of a funnel begins and ends; null where they never came there. */
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
