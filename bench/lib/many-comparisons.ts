/** The statistics of many metrics and variants from made-up sums: a third each of means with a past, conversions and rare conversions. */
import { type AnalysisSettings, analyse, type VariantData } from '../../src/core/experiments/analyse.ts';

const SETTINGS: AnalysisSettings = {
  alpha: 0.05,
  tuningN: 20_000,
  level: 0.95,
  prior: { mean: 0, sd: 0.3 },
  isLowerBetter: false,
};
const PERSONS = 10_000;

/** `at` makes each a little different. */
function meansOf(at: number): VariantData {
  const [sum, past] = [PERSONS * (10 + at / 100), PERSONS * 9];
  const sums = {
    kind: 'mean' as const,
    n: PERSONS,
    sum,
    sumSquares: sum * 14,
    past: { sum: past, sumSquares: past * 13, product: past * 12 },
  };
  return { sums, nonZero: PERSONS / 2, isBinary: false };
}

const conversionsOf = (conversions: number): VariantData => ({
  sums: { kind: 'proportion', n: PERSONS, conversions },
  nonZero: conversions,
  isBinary: true,
});

const KINDS: readonly ((at: number) => VariantData)[] = [
  meansOf,
  (at) => conversionsOf(1000 + at),
  // Too few for anything but the exact test.
  (at) => conversionsOf(at % 5),
];

/** How many could be compared. */
export function compareMany(metrics: number, variants: number): number {
  let compared = 0;
  for (let metric = 0; metric < metrics; metric++) {
    const dataOf = KINDS[metric % KINDS.length] ?? meansOf;
    const control = dataOf(0);
    for (let variant = 1; variant <= variants; variant++)
      if (analyse(control, dataOf(variant), SETTINGS).comparison !== null) compared++;
  }
  return compared;
}
