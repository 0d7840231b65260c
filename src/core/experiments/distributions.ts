/**
 * Normal, Student's t and χ² distributions. Tails are exact to about 1e-13 of their size down to 1e-300
 * (docs/decisions/0049-own-special-functions.md says why they are our own).
 */
import { upperGamma } from './incomplete-gamma.ts';
import { studentUpperTail } from './student-tail.ts';

/** P(Z > z). */
export const normalTail = (z: number): number => {
  const tail = upperGamma(0.5, (z * z) / 2) / 2;
  return z >= 0 ? tail : 1 - tail;
};

/** P(Z ≤ z). */
export const normalCdf = (z: number): number => normalTail(-z);

export const normalDensity = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** P(T > t) with ν degrees of freedom. */
export const studentTail = (t: number, df: number): number =>
  t >= 0 ? studentUpperTail(t, df) : 1 - studentUpperTail(-t, df);

/** P(χ² > x). */
export const chiSquareTail = (x: number, df: number): number => upperGamma(df / 2, x / 2);

/** The z with P(Z ≤ z) = p. */
export const normalQuantile = (p: number): number => (p < 0.5 ? -upperNormalQuantile(p) : upperNormalQuantile(1 - p));

/** The t with P(T ≤ t) = p. */
export const studentQuantile = (p: number, df: number): number =>
  p < 0.5 ? -upperStudentQuantile(p, df) : upperStudentQuantile(1 - p, df);

/** All comparisons of an experiment ask for the same few. */
const knownNormalQuantiles = new Map<number, number>();
const MAX_KNOWN = 100;

function upperNormalQuantile(p: number): number {
  const known = knownNormalQuantiles.get(p);
  if (known !== undefined) return known;
  const quantile = upperQuantile(normalTail, p);
  if (knownNormalQuantiles.size === MAX_KNOWN) knownNormalQuantiles.clear();
  knownNormalQuantiles.set(p, quantile);
  return quantile;
}

/** The normal one is below it, and twice the first term of the distance to it above, unless ν is small. */
function upperStudentQuantile(p: number, df: number): number {
  const z = upperNormalQuantile(p);
  return upperQuantile((t) => studentTail(t, df), p, [z, z + (z ** 3 + z) / (2 * df)]);
}

/** Of the logarithm of a share. */
const QUANTILE_PRECISION = 1e-14;

/**
 * Where a falling tail has the value p ≤ ½: by false position on its logarithm, with the value at a side that stays
 * halved each time (the Illinois method), so that both sides close in. `around`: where it is likely to be.
 */
function upperQuantile(tail: (x: number) => number, p: number, around: readonly [number, number] = [0, 1]): number {
  if (p >= 0.5) return 0;
  if (p <= 0) return Number.POSITIVE_INFINITY;
  const goal = Math.log(p);
  const excess = (x: number): number => Math.log(tail(x)) - goal;
  let [low, high] = around;
  let [atLow, atHigh] = [excess(low), excess(high)];
  // Also where rounding puts it below.
  if (atLow <= 0) [low, atLow] = [0, excess(0)];
  while (atHigh > 0) {
    [low, atLow] = [high, atHigh];
    high *= 2;
    atHigh = excess(high);
  }
  for (let round = 0, side = 0; round < 200; round++) {
    const at = low + ((high - low) * atLow) / (atLow - atHigh);
    const value = excess(at);
    if (Math.abs(value) < QUANTILE_PRECISION || at <= low || at >= high) return at;
    if (value > 0) {
      [low, atLow] = [at, value];
      if (side > 0) atHigh /= 2;
    } else {
      [high, atHigh] = [at, value];
      if (side < 0) atLow /= 2;
    }
    side = Math.sign(value);
  }
  return (low + high) / 2;
}
