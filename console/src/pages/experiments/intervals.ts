/** Intervals of several metrics on one axis. */
import type { MetricResult } from '../../api/experiments.ts';

/** The ends of the axis, as lifts; 0 is always between them. */
export interface IntervalScale {
  low: number;
  high: number;
}

/** Lifts beyond this would squeeze everything else. */
const MAX_SHOWN = 2;

export function intervalScale(metrics: readonly MetricResult[]): IntervalScale {
  const ends = metrics.flatMap(({ variant_results }) =>
    variant_results.flatMap(({ lift_interval, lift }) => lift_interval ?? (lift === null ? [] : [lift])),
  );
  const most = Math.max(0.01, ...ends.map((end) => Math.min(MAX_SHOWN, Math.abs(end))));
  return { low: -1.1 * most, high: 1.1 * most };
}

/** Where a lift is on the axis, from 0 to 1. */
export const placeOf = (lift: number, { low, high }: IntervalScale): number =>
  Math.min(1, Math.max(0, (lift - low) / (high - low)));
