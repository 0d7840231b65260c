export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : sum(values) / values.length;

/** Each point becomes the sum of the points up to it. */
export function runningSum(points: readonly number[]): number[] {
  let total = 0;
  return points.map((point) => (total += point));
}

/** Each point becomes the mean of the last `size` points, fewer at the beginning, rounded down to a whole number. */
export function smooth(points: readonly number[], size: number): number[] {
  if (size <= 1) return [...points];
  return points.map((_, at) => Math.floor(mean(points.slice(Math.max(0, at - size + 1), at + 1)) ?? 0));
}

/** Half is rounded away from zero; `-0` becomes 0. */
export const round2 = (value: number): number => {
  const rounded = (Math.sign(value) * Math.round(Math.abs(value) * 100)) / 100;
  return Number.isFinite(rounded) ? rounded + 0 : value;
};

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
