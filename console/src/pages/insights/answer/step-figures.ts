import type { FunnelGroup } from '../answers.ts';

export interface StepFigures {
  count: number;
  /** Of those who entered the funnel. */
  share: number;
  /** Of those who reached the step before; null for the first step, and if no one did. */
  fromBefore: number | null;
  /** Who reached the step before, but not this one; null for the first step. */
  dropped: number | null;
  /** Seconds since the step before. */
  average: number | null;
  median: number | null;
}

/** The numbers of one step of a group. */
export function stepFigures({ steps }: FunnelGroup, at: number): StepFigures {
  const [step, first, before] = [steps[at], steps[0]?.count ?? 0, steps[at - 1]?.count];
  const count = step?.count ?? 0;
  return {
    count,
    share: first === 0 ? 0 : count / first,
    fromBefore: before === undefined || before === 0 ? null : count / before,
    dropped: before === undefined ? null : before - count,
    average: step?.average_conversion_time ?? null,
    median: step?.median_conversion_time ?? null,
  };
}
