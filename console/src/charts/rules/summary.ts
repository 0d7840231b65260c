/** The sums of a table, and by how much values changed. */
import type { ChartSeries, Values } from '../chart-data.ts';

/** As a share: 0.1 is 10 % more. Null if there is nothing to compare with. */
export const changeOf = (value: number | null | undefined, before: number | null | undefined): number | null =>
  value == null || before == null || before === 0 ? null : (value - before) / Math.abs(before);

const valuesOf = (values: Values): number[] => values.filter((value) => value !== null);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export interface Summary {
  total: number;
  /** Of the finished periods; null if there is none. */
  average: number | null;
  /** Against the previous period if it is shown, else of the last finished tick against the one before. */
  change: number | null;
}

/** An unfinished period counts in the total only: elsewhere it would look like a decline. */
export function summarize(
  { values, previous }: Pick<ChartSeries, 'values' | 'previous'>,
  unfinished: number | null,
): Summary {
  const finished = values.slice(0, unfinished ?? values.length);
  const present = valuesOf(finished);
  const change = previous
    ? changeOf(sum(present), sum(valuesOf(previous.values.slice(0, finished.length))))
    : changeOf(finished.at(-1), finished.at(-2));
  return {
    total: sum(valuesOf(values)),
    average: present.length === 0 ? null : sum(present) / present.length,
    change,
  };
}
