import type { Tick } from '../../../core/time/ticks.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';

/** The starts of the intervals, and the end of the last. */
export const boundsOf = (ticks: readonly Tick[]): number[] => [
  ...ticks.map(({ start }) => start),
  ticks.at(-1)?.end ?? 0,
];

/** Consecutive intervals of the same length. */
interface Run {
  /** The index of the first. */
  index: number;
  start: number;
  length: number;
}

/**
 * The index of the interval of a time, which must be between the `bounds`. Between two clock changes intervals have the
 * same length, so a division is enough: many times faster than a calendar function for every event.
 */
export const tickSql = (sql: SqlBuilder, time: string, bounds: readonly number[]): string =>
  tickOfMsSql(sql, sql.ms(time), bounds);

/** The same for a time in ms UTC. */
export function tickOfMsSql(sql: SqlBuilder, at: string, bounds: readonly number[]): string {
  const runs = runsOf(bounds);
  const within = ({ index, start, length }: Run): string =>
    `${sql.integer(index)} + ${sql.quotient(`(${at} - ${sql.integer(start)})`, sql.integer(length))}`;
  const [last, ...earlier] = runs.toReversed();
  if (last === undefined) return sql.integer(0);
  if (earlier.length === 0) return `(${within(last)})`;
  const next = runs.slice(1);
  const cases = runs.slice(0, -1).map((run, i) => {
    const end = sql.integer((next[i] as Run).start);
    return `when ${at} < ${end} then ${within(run)}`;
  });
  return `(case ${cases.join(' ')} else ${within(last)} end)`;
}

function runsOf(bounds: readonly number[]): Run[] {
  const runs: Run[] = [];
  bounds.slice(0, -1).forEach((start, index) => {
    const length = (bounds[index + 1] as number) - start;
    if (runs.at(-1)?.length !== length) runs.push({ index, start, length });
  });
  return runs;
}
