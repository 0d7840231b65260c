import type { Statistic } from './math.ts';

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : sum(values) / values.length;

/** Between two neighbours it lies in proportion: the median of 1 and 2 is 1.5. */
export function quantile(values: readonly number[], level: number): number | null {
  return quantileOfSorted(sortNumbers(values), values.length, level);
}

/** Of the first `length` of numbers that are in order. */
function quantileOfSorted(sorted: ArrayLike<number>, length: number, level: number): number | null {
  const at = (length - 1) * level;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) return null;
  return low + (high - low) * (at - Math.floor(at));
}

const MAX_INSERTION_SORT = 32;

/** Without a comparison by a function, which takes most of the time: a funnel asks for two medians of everybody. */
function sortNumbers(values: readonly number[]): ArrayLike<number> {
  if (values.length > MAX_INSERTION_SORT) return new Float64Array(values).sort();
  const sorted = values.slice();
  for (let next = 1; next < sorted.length; next++) {
    const value = sorted[next] as number;
    let free = next;
    while (free > 0 && (sorted[free - 1] as number) > value) {
      sorted[free] = sorted[free - 1] as number;
      free--;
    }
    sorted[free] = value;
  }
  return sorted;
}

export const medianOfSorted = (sorted: ArrayLike<number>, length: number): number | null =>
  quantileOfSorted(sorted, length, 0.5);

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

/** Null where there is nothing to take a statistic of; the sum of nothing is nothing. */
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
