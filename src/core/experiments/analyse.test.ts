import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnalysisSettings, analyse, type VariantData } from './analyse.ts';
import type { ArmSums } from './arm.ts';

const SETTINGS: AnalysisSettings = { alpha: 0.05, tuningN: 5000, level: 0.95, prior: null, isLowerBetter: false };

const ofValues = (values: readonly number[]): VariantData => ({
  sums: {
    kind: 'mean',
    n: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    sumSquares: values.reduce((sum, value) => sum + value * value, 0),
  },
  nonZero: values.filter((value) => value !== 0).length,
  isBinary: false,
});

const ofConversions = (n: number, conversions: number): VariantData => ({
  sums: { kind: 'proportion', n, conversions },
  nonZero: conversions,
  isBinary: true,
});

/** Every number in a result, however deep. */
const numbersIn = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

describe('analyse', () => {
  it('compares two means in three ways', () => {
    const control = ofValues(Array.from({ length: 400 }, (_, at) => 10 + (at % 5)));
    const treatment = ofValues(Array.from({ length: 400 }, (_, at) => 11 + (at % 5)));
    const { failures, hasEnough, lift, fixed, sequential, bayesian } = analyse(control, treatment, SETTINGS);
    expect({ failures, hasEnough }).toEqual({ failures: [], hasEnough: true });
    expect(lift).toBeCloseTo(1 / 12, 12);
    expect(fixed?.method).toBe('welch');
    expect(fixed?.interval[0]).toBeGreaterThan(0.8);
    // The sequential interval pays for being valid at all times.
    expect(sequential?.interval[0]).toBeLessThan(fixed?.interval[0] ?? 0);
    expect(bayesian?.chanceToWin).toBeGreaterThan(0.999);
  });

  it.each<[string, VariantData, VariantData, string[]]>([
    ['one visitor', ofValues([1]), ofValues([1, 2, 3]), ['not-enough-exposures']],
    ['an infinite value', ofValues([1, Number.POSITIVE_INFINITY]), ofValues([1, 2]), ['invalid-statistic']],
    ['more conversions than visitors', ofConversions(3, 4), ofConversions(3, 1), ['invalid-statistic']],
    [
      'no events',
      ofValues(Array(200).fill(0)),
      ofValues(Array(200).fill(0)),
      ['not-enough-metric-data', 'baseline-mean-is-zero', 'zero-variance'],
    ],
    ['the same value everywhere', ofValues(Array(200).fill(5)), ofValues(Array(200).fill(5)), ['zero-variance']],
    ['a few visitors', ofConversions(50, 30), ofConversions(50, 30), ['not-enough-exposures']],
    ['few conversions', ofConversions(500, 3), ofConversions(500, 4), ['not-enough-metric-data']],
  ])('says why a number is missing: %s', (_, control, treatment, failures) => {
    expect(analyse(control, treatment, SETTINGS).failures).toEqual(failures);
  });

  it('gives the exact test of conversions where nobody converted', () => {
    const { fixed, sequential, lift } = analyse(ofConversions(500, 0), ofConversions(500, 0), SETTINGS);
    expect(fixed).toMatchObject({ method: 'fisher', pValue: 1 });
    expect({ sequential, lift }).toEqual({ sequential: null, lift: null });
  });

  it('has no lift over a baseline that is hardly a number', () => {
    const tiny = { sums: { kind: 'mean' as const, n: 2, sum: 1e-323, sumSquares: 0 }, nonZero: 1, isBinary: false };
    const one = { sums: { kind: 'mean' as const, n: 2, sum: 1, sumSquares: 1 }, nonZero: 1, isBinary: false };
    expect(analyse(tiny, one, SETTINGS)).toMatchObject({ lift: null, comparison: { effect: 0.5 } });
  });

  const counts = fc.integer({ min: 0, max: 1000 });
  const sums: fc.Arbitrary<ArmSums> = fc.oneof(
    fc.tuple(counts, counts).map(([n, conversions]) => ofConversions(n, conversions).sums),
    fc.array(fc.double({ noNaN: false }), { maxLength: 20 }).map((values) => ofValues(values).sums),
    fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 20 }).map((values) => ofValues(values).sums),
  );

  it('never answers with a number that is none', () => {
    fc.assert(
      fc.property(sums, sums, fc.boolean(), (one, two, isBinary) => {
        const [control, treatment] = [one, two].map((own) => ({ sums: own, nonZero: 1, isBinary }));
        if (control === undefined || treatment === undefined || one.kind !== two.kind) return;
        const { comparison: _, ...shown } = analyse(control, treatment, SETTINGS);
        expect(numbersIn(shown).filter((value) => !Number.isFinite(value))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 3, maxLength: 60 });

  it('has intervals of difference and lift that agree about zero, and p-values that agree with both', () => {
    fc.assert(
      fc.property(values, values, (one, two) => {
        const { fixed, sequential } = analyse(ofValues(one), ofValues(two), SETTINGS);
        for (const test of [fixed, sequential]) {
          if (test === null) continue;
          const excludes = ([low, high]: readonly [number, number]): boolean => low > 0 || high < 0;
          expect(excludes(test.interval)).toBe(test.pValue < SETTINGS.alpha);
          if (test.liftInterval !== null) expect(excludes(test.liftInterval)).toBe(excludes(test.interval));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('turns around when the variants are exchanged', () => {
    fc.assert(
      fc.property(values, values, (one, two) => {
        const there = analyse(ofValues(one), ofValues(two), SETTINGS);
        const back = analyse(ofValues(two), ofValues(one), SETTINGS);
        expect(back.fixed?.pValue ?? 0).toBeCloseTo(there.fixed?.pValue ?? 0, 12);
        if (there.bayesian !== null)
          expect(there.bayesian.chanceToWin + (back.bayesian?.chanceToWin ?? 0)).toBeCloseTo(1, 9);
      }),
      { numRuns: 100 },
    );
  });
});
