/**
 * The regularised upper incomplete gamma function, from which the tails of the normal and the χ² distribution follow.
 * It is always calculated as the tail itself, never as one minus the rest, so that tiny values keep their digits.
 */

const EPSILON = 1e-16;
const MAX_TERMS = 10_000;
/** Stands in for a zero denominator of a continued fraction (Lentz's method). */
const TINY = 1e-300;

/** Stirling's series is exact to the last digit from here on; smaller arguments are moved up to it. */
const STIRLING_FROM = 15;

/** The logarithm of Γ(x), for x > 0. */
function logGamma(x: number): number {
  let product = 1;
  let at = x;
  for (; at < STIRLING_FROM; at += 1) product *= at;
  const square = 1 / (at * at);
  const series =
    (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * 1e-3))))) /
    at;
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

/** Every tail of the normal distribution needs it. */
const LOG_GAMMA_HALF = logGamma(0.5);

/** Q(a, x) = Γ(a, x) / Γ(a), for a > 0 and x ≥ 0. */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const factor = Math.exp(a * Math.log(x) - x - (a === 0.5 ? LOG_GAMMA_HALF : logGamma(a)));
  return x < a + 1 ? 1 - factor * lowerSeries(a, x) : factor * upperFraction(a, x);
}

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < MAX_TERMS && term > sum * EPSILON; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < MAX_TERMS; n++) {
    const step = n * (a - n);
    b += 2;
    d = 1 / nonZero(step * d + b);
    c = nonZero(b + step / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < EPSILON) break;
  }
  return value;
}

export const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
