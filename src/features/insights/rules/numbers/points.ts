import { mean } from './statistics.ts';

/** Each point becomes what has come together so far. */
export function runningSum(points: readonly number[]): number[] {
  let total = 0;
  return points.map((point) => (total += point));
}

/** Each point becomes the mean of the last `size` points, fewer at the beginning, rounded down to a whole number. */
export function smooth(points: readonly number[], size: number): number[] {
  if (size <= 1) return [...points];
  return points.map((_, at) => Math.floor(mean(points.slice(Math.max(0, at - size + 1), at + 1)) ?? 0));
}
