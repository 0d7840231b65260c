import type { RetentionRow } from '../../../api/insights.ts';

/**
 * The share of users who returned in each period, of all cohorts together: large cohorts weigh more. Only cells whose
 * period is over count, so the list ends with the last period that is over for a cohort. `unfinished` is the first
 * cohort whose own period is not over; null for rows without dates.
 */
export function weightedAverages(rows: readonly RetentionRow[], unfinished: number | null): number[] {
  const longest = Math.max(0, ...rows.map(({ values }) => values.length));
  const averages: number[] = [];
  for (let period = 0; period < longest; period++) {
    const over = rows.filter(
      (row, at) => period < row.values.length && (unfinished === null || at + period < unfinished),
    );
    const size = sum(over, 0);
    if (size === 0) break;
    averages.push(sum(over, period) / size);
  }
  return averages;
}

const sum = (rows: readonly RetentionRow[], period: number): number =>
  rows.reduce((total, { values }) => total + (values[period]?.count ?? 0), 0);
