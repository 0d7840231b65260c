import { quantile } from './statistics.ts';

export interface Bin {
  from: number;
  until: number;
}

/**
 * Bins that hold about as many of the distinct values each. Their bounds are rounded down to two decimals, and bounds
 * that are then equal are one; the last bin is a hair wider, because its upper bound does not belong to it.
 */
export function valueBins(values: readonly number[], count: number): Bin[] {
  const distinct = [...new Set(values)];
  if (distinct.length === 0) return [];
  return binsBetween(binLevels(count).map((level) => quantile(distinct, level) ?? 0));
}

/** The quantiles of the distinct values between which so many bins lie. */
export const binLevels = (count: number): number[] =>
  Array.from({ length: count + 1 }, (_, at) => Math.round((at / count) * 100) / 100);

export function binsBetween(quantiles: readonly number[]): Bin[] {
  const bounds = [...new Set(quantiles.map(floor2))];
  const last = bounds.length - 1;
  const top = round2((bounds[last] as number) + 0.01);
  if (last === 0) return [{ from: bounds[0] as number, until: top }];
  return bounds.slice(0, last).map((from, at) => ({ from, until: at === last - 1 ? top : (bounds[at + 1] as number) }));
}

/** Products such as 69.92 * 100 fall a hair short of a whole number. */
const floor2 = (value: number): number => Math.floor(value * 100 + 1e-7) / 100;
const round2 = (value: number): number => Math.round(value * 100) / 100;

/** `[25.0,66.25]`: what a bin is called on the wire. */
export const binName = ({ from, until }: Bin): string => `[${decimal(from)},${decimal(until)}]`;

const decimal = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));
