import type { BreakdownCohort } from '../../../core/actions/breakdown.ts';
import type { BreakdownValue } from './answers.ts';

export const textValue = (text: string): BreakdownValue => ({ value: text, label: text === '' ? 'none' : text });
export const numberValue = (number: number): BreakdownValue => ({ value: number, label: String(number) });
export const binValue = (bin: Bin): BreakdownValue => ({ value: binName(bin), label: binName(bin) });
export const cohortValue = ({ id, name }: BreakdownCohort): BreakdownValue => ({ value: id, label: name });

export interface Bin {
  from: number;
  until: number;
}

/** The quantiles of the distinct values that bound this many bins. */
export const binLevels = (count: number): number[] =>
  Array.from({ length: count + 1 }, (_, at) => Math.round((at / count) * 100) / 100);

/**
 * Bounds are rounded down to two decimals, and equal bounds merged; the last bin is slightly wider, because a bin does
 * not include its upper bound.
 */
export function binsBetween(quantiles: readonly number[]): Bin[] {
  const bounds = [...new Set(quantiles.map(floor2))];
  const last = bounds.length - 1;
  const top = roundBound((bounds[last] as number) + 0.01);
  if (last === 0) return [{ from: bounds[0] as number, until: top }];
  return bounds.slice(0, last).map((from, at) => ({ from, until: at === last - 1 ? top : (bounds[at + 1] as number) }));
}

/** Products such as 69.92 * 100 fall slightly short of a whole number. */
const floor2 = (value: number): number => Math.floor(value * 100 + 1e-7) / 100;
const roundBound = (value: number): number => Math.round(value * 100) / 100;

/** `[25.0,66.25]` */
export const binName = ({ from, until }: Bin): string => `[${decimal(from)},${decimal(until)}]`;

const decimal = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));
