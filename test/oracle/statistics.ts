import type { Statistic } from '../../src/features/insights/rules/math.ts';

export const total = (values: readonly number[]): number => values.reduce((before, value) => before + value, 0);

export const average = (values: readonly number[]): number | null =>
  values.length === 0 ? null : total(values) / values.length;

/** Interpolates between two neighbours: the median of 1 and 2 is 1.5. */
export function quantile(values: readonly number[], level: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * level;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

/** Two decimals, halves away from zero. */
export const hundredths = (value: number): number => {
  const rounded = Math.round(Math.abs(value) * 100) / 100;
  return value < 0 && rounded > 0 ? -rounded : rounded;
};

/** Null where there is nothing to take a statistic of; the sum of nothing is 0. */
export function statisticOf(statistic: Statistic, values: readonly number[]): number | null {
  if (values.length === 0) return statistic === 'sum' ? 0 : null;
  switch (statistic) {
    case 'sum':
      return total(values);
    case 'avg':
      return average(values);
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

interface NumberBin {
  from: number;
  until: number;
}

/** Bins with about the same number of distinct values each; the last one includes the largest value. */
export function valueBins(values: readonly number[], count: number): NumberBin[] {
  const levels = Array.from({ length: count + 1 }, (_, at) => Number((at / count).toFixed(2)));
  const quantiles = levels.flatMap((level) => quantile([...new Set(values)], level) ?? []);
  const bounds = [...new Set(quantiles.map((value) => Math.floor(value * 100 + 1e-7) / 100))];
  const [first, last] = [bounds[0], bounds.at(-1)];
  if (first === undefined || last === undefined) return [];
  const top = Number((last + 0.01).toFixed(2));
  if (bounds.length === 1) return [{ from: first, until: top }];
  return bounds.slice(1).map((until, at) => ({ from: bounds[at] as number, until: until === last ? top : until }));
}
