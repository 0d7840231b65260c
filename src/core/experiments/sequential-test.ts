/**
 * An always-valid test: its interval holds at all times at once, so looking early and often does not raise the rate of
 * false alarms. Asymptotic confidence sequence of Waudby-Smith et al., on the difference.
 */
import type { Bounds, Difference } from './compare-arms.ts';

/** The interval is narrowest, relative to what is possible, at this many entities. */
const DEFAULT_TUNING_N = 5000;

export interface SequentialTest {
  pValue: number;
  interval: Bounds;
  /** How many standard errors the interval reaches to either side. */
  critical: number;
  rho: number;
}

/** p ≤ α exactly when the interval excludes 0; the standard error must not be 0. */
export function sequentialTest(
  { n, effect, standardError }: Difference,
  alpha: number,
  tuningN = DEFAULT_TUNING_N,
): SequentialTest {
  const critical = sequentialCritical(n, alpha, tuningN);
  const half = critical * standardError;
  const growth = n * rhoSquared(alpha, tuningN);
  const z = effect / standardError;
  return {
    pValue: Math.min(1, Math.sqrt(growth + 1) * Math.exp((-z * z * growth) / (2 * (growth + 1)))),
    interval: [effect - half, effect + half],
    critical,
    rho: Math.sqrt(rhoSquared(alpha, tuningN)),
  };
}

export function sequentialCritical(n: number, alpha: number, tuningN: number): number {
  const growth = n * rhoSquared(alpha, tuningN);
  return Math.sqrt(((growth + 1) / growth) * (Math.log(growth + 1) - 2 * Math.log(alpha)));
}

const rhoSquared = (alpha: number, tuningN: number): number =>
  (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tuningN;

/** For a bound on one side only. */
export function oneSidedReach({ n, standardError }: Difference, alpha: number, tuningN = DEFAULT_TUNING_N) {
  const square = rhoSquared(2 * alpha, tuningN);
  const growth = n * square;
  const factor = ((2 * (growth + 1)) / growth) * Math.log(1 + Math.sqrt(growth + 1) / (2 * alpha));
  return { rho: Math.sqrt(square), reach: standardError * Math.sqrt(factor) };
}
