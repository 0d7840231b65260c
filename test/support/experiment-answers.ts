/** What the oracle says about a metric, as the sums that an engine gives. */
import type { MetricData, MetricQuestion } from '../../src/features/experiments/rules/experiment-question.ts';
import type { VariantValues } from '../oracle/experiment.ts';
import { rounded } from './engine-answers.ts';

const sumOf = (rows: readonly number[][], one: number, other?: number): number =>
  rows.reduce((sum, row) => sum + (row[one] ?? 0) * (other === undefined ? 1 : (row[other] ?? 0)), 0);

export const expectedData = (metric: MetricQuestion, values: readonly VariantValues[]): unknown =>
  rounded(
    values.map(({ variant, part, rows, stepCounts, ignored }) => ({
      variant,
      part,
      sums: expectedSums(metric, rows),
      nonZero: rows.filter(([value]) => value !== 0).length,
      stepCounts,
      ignored,
      withPast:
        metric.lookbackMs === null || metric.kind === 'retention' ? 0 : rows.filter(([, past]) => past !== 0).length,
    })),
  );

function expectedSums(metric: MetricQuestion, rows: readonly number[][]): unknown {
  const { kind, lookbackMs } = metric;
  const hasPast = lookbackMs !== null && kind !== 'retention';
  const n = rows.length;
  const isShare = kind === 'funnel' || (kind === 'mean' && (metric.threshold ?? null) !== null);
  if (isShare && !hasPast) return { kind: 'proportion', n, conversions: sumOf(rows, 0) };
  const own = { n, sum: sumOf(rows, 0), sumSquares: sumOf(rows, 0, 0) };
  const past = { sum: sumOf(rows, 1), sumSquares: sumOf(rows, 1, 1) };
  if (kind !== 'ratio' && kind !== 'retention')
    return { kind: 'mean', ...own, ...(hasPast ? { past: { ...past, product: sumOf(rows, 0, 1) } } : {}) };
  const below = hasPast ? 2 : 1;
  return {
    kind: 'ratio',
    ...own,
    denominatorSum: sumOf(rows, below),
    denominatorSumSquares: sumOf(rows, below, below),
    product: sumOf(rows, 0, below),
    ...(hasPast
      ? {
          past: {
            ...past,
            denominatorSum: sumOf(rows, 3),
            denominatorSumSquares: sumOf(rows, 3, 3),
            product: sumOf(rows, 1, 3),
            numeratorPastNumerator: sumOf(rows, 0, 1),
            numeratorPastDenominator: sumOf(rows, 0, 3),
            denominatorPastNumerator: sumOf(rows, 1, 2),
            denominatorPastDenominator: sumOf(rows, 2, 3),
          },
        }
      : {}),
  };
}

export const shownData = (found: readonly MetricData[]): unknown =>
  rounded(
    found.map(({ variant, part, data, stepCounts, withPast, ignoredValues }) => ({
      variant,
      part,
      sums: data.sums,
      nonZero: data.nonZero,
      stepCounts,
      ignored: ignoredValues,
      withPast,
    })),
  );
