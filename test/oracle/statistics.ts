import { type Bin, binLevels, binsBetween } from '../../src/features/insights/rules/breakdown-values.ts';
import type { Statistic } from '../../src/features/insights/rules/math.ts';
import { mean, sum } from '../../src/features/insights/rules/statistics.ts';

/** Interpolates between two neighbours: the median of 1 and 2 is 1.5. */
export function quantile(values: readonly number[], level: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * level;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

/** Null where there is nothing to take a statistic of; the sum of nothing is 0. */
export function statisticOf(statistic: Statistic, values: readonly number[]): number | null {
  if (values.length === 0) return statistic === 'sum' ? 0 : null;
  switch (statistic) {
    case 'sum':
      return sum(values);
    case 'avg':
      return mean(values);
    case 'min':
      return Math.min(...values);
    case 'max':
      return Math.max(...values);
    case 'median':
      return median(values);
    case 'p90':
      return quantile(values, 0.9);
    case 'p95':
      return quantile(values, 0.95);
    case 'p99':
      return quantile(values, 0.99);
  }
}

/** Bins with about the same number of distinct values each. */
export function valueBins(values: readonly number[], count: number): Bin[] {
  const distinct = [...new Set(values)];
  if (distinct.length === 0) return [];
  return binsBetween(binLevels(count).map((level) => quantile(distinct, level) ?? 0));
}
