/** The tail of Student's t distribution, by the continued fraction of the incomplete beta function. */
import { nonZero } from './incomplete-gamma.ts';

const EPSILON = 1e-16;
/** Enough for hundreds of millions of degrees of freedom. */
const MAX_TERMS = 20_000;
/** From here on the series of Γ(a + ½) / Γ(a) is exact to the last digit. */
const SERIES_FROM = 100;

/** P(T > t) for t ≥ 0 and ν degrees of freedom, which need not be whole. */
export function studentUpperTail(t: number, df: number): number {
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return 0;
  const [a, x, rest] = [df / 2, df / (df + square), square / (df + square)];
  // The fraction converges quickly on one side of this point; on the other the two parts are exchanged.
  if (x < (a + 1) / (a + 2.5)) return (density(t, df) * betaFraction(a, 0.5, x)) / (2 * a);
  return 0.5 - density(t, df) * betaFraction(0.5, a, rest);
}

/** x^a·(1 − x)^½ / B(a, ½) with x = ν / (ν + t²). */
const density = (t: number, df: number): number =>
  (Math.exp((-df / 2) * Math.log1p((t * t) / df)) * (Math.abs(t) / Math.hypot(t, Math.sqrt(df))) * gammaRatio(df / 2)) /
  Math.sqrt(Math.PI);

/** Γ(a + ½) / Γ(a): as a ratio, since the difference of two large logarithms would lose digits. */
function gammaRatio(from: number): number {
  let factor = 1;
  let a = from;
  for (; a < SERIES_FROM; a += 1) factor *= a / (a + 0.5);
  const inverse = 1 / a;
  const series =
    1 -
    inverse * (1 / 8 - inverse * (1 / 128 + inverse * (5 / 1024 - inverse * (21 / 32768 + (inverse * 399) / 262144))));
  return Math.sqrt(a) * series * factor;
}

function betaFraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    value *= c * d;
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < EPSILON) break;
  }
  return value;
}
