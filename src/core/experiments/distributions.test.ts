import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chiSquareTail, normalCdf, normalQuantile, normalTail, studentQuantile, studentTail } from './distributions.ts';

/** Relative, so that tiny tails are compared by their digits. */
const expectClose = (got: number, wanted: number, tolerance = 1e-12): void =>
  expect(Math.abs(got / wanted - 1)).toBeLessThan(tolerance);

describe('the normal distribution', () => {
  // Calculated with @stdlib/math-base-special-erfc 0.2.3.
  it.each([
    [0.5, 0.30853753872598694],
    [1.959963984540054, 0.025000000000000015],
    [6, 9.865876450377014e-10],
    [10, 7.619853024160593e-24],
    [37, 5.725571222525139e-300],
  ])('has beyond %d the share %d', (z, tail) => {
    expectClose(normalTail(z), tail);
    expectClose(normalCdf(-z), tail);
  });

  it('has a quantile for every share', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-200, max: 0.999999, noNaN: true }), (share) => {
        expectClose(normalCdf(normalQuantile(share)), share, 1e-10);
      }),
      { numRuns: 200 },
    );
  });
});

describe("Student's t distribution", () => {
  it.each([
    [1, 1, 0.25],
    [1, 12.706204736174694, 0.025],
    [2, 4.302652729749462, 0.025],
    [10, 40, 1.1404288715428774e-12],
  ])('with %d degrees of freedom has beyond %d the share %d', (df, t, tail) => {
    expectClose(studentTail(t, df), tail, 1e-10);
  });

  it('approaches the normal distribution', () => {
    for (const t of [0.1, 1, 3]) expectClose(studentTail(t, 1e8), normalTail(t), 1e-6);
  });

  it('has a quantile for every share, for any number of degrees of freedom', () => {
    const shares = fc.double({ min: 1e-12, max: 0.999999, noNaN: true });
    fc.assert(
      fc.property(shares, fc.double({ min: 1, max: 1e6, noNaN: true }), (share, df) => {
        expectClose(studentTail(-studentQuantile(share, df), df), share, 1e-9);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the χ² distribution', () => {
  it('with two degrees of freedom is exponential', () => {
    for (const x of [0.001, 1, 30, 1300]) expectClose(chiSquareTail(x, 2), Math.exp(-x / 2));
  });

  it('with one degree of freedom is the square of the normal one', () => {
    for (const z of [0.01, 1, 5, 30]) expectClose(chiSquareTail(z * z, 1), 2 * normalTail(z));
  });
});
