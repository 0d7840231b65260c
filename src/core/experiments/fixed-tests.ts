/** Tests for one look at a planned number of entities (fixed horizon). */
import type { ProportionCounts } from './arm.ts';
import type { Bounds, Difference } from './compare-arms.ts';
import { normalQuantile, normalTail, studentQuantile, studentTail } from './distributions.ts';

export interface FixedTest {
  pValue: number;
  /** Of the difference. */
  interval: Bounds;
  /** How many standard errors the interval reaches to either side. */
  critical: number;
}

/** Welch's t-test; the standard error must not be 0. */
export function welchTest({ effect, standardError, df }: Difference, alpha: number): FixedTest {
  const critical = studentQuantile(1 - alpha / 2, df);
  const half = critical * standardError;
  return {
    pValue: Math.min(1, 2 * studentTail(Math.abs(effect / standardError), df)),
    interval: [effect - half, effect + half],
    critical,
  };
}

interface ProportionTest extends FixedTest {
  method: 'z' | 'fisher';
  /** Null where everybody converted, or nobody. */
  z: number | null;
}

/** An expected cell below this is too small for the normal approximation. */
const MIN_EXPECTED = 5;

/** Pooled z-test, or Fisher's exact test for small numbers; the interval is Newcombe's. */
export function proportionTest(control: ProportionCounts, treatment: ProportionCounts, alpha: number): ProportionTest {
  const critical = normalQuantile(1 - alpha / 2);
  const [rate, otherRate] = [control.conversions / control.n, treatment.conversions / treatment.n];
  const pooled = (control.conversions + treatment.conversions) / (control.n + treatment.n);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / control.n + 1 / treatment.n));
  const z = error === 0 ? null : (otherRate - rate) / error;
  const least = Math.min(control.n, treatment.n) * Math.min(pooled, 1 - pooled);
  const method = z === null || least < MIN_EXPECTED ? 'fisher' : 'z';
  return {
    method,
    z,
    pValue:
      z === null || least < MIN_EXPECTED ? fisherTest(control, treatment) : Math.min(1, 2 * normalTail(Math.abs(z))),
    interval: newcombeInterval(control, treatment, critical),
    critical,
  };
}

/** Wilson's bounds of a rate. */
function wilsonInterval({ n, conversions }: ProportionCounts, critical: number): Bounds {
  const square = critical * critical;
  const rate = conversions / n;
  const centre = (rate + square / (2 * n)) / (1 + square / n);
  const half = (critical * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n * n))) / (1 + square / n);
  return [centre - half, centre + half];
}

/** Holds for very few conversions, and even for none. */
function newcombeInterval(control: ProportionCounts, treatment: ProportionCounts, critical: number): Bounds {
  const [rate, otherRate] = [control.conversions / control.n, treatment.conversions / treatment.n];
  const [low, high] = wilsonInterval(control, critical);
  const [otherLow, otherHigh] = wilsonInterval(treatment, critical);
  const effect = otherRate - rate;
  return [
    effect - Math.hypot(otherRate - otherLow, high - rate),
    effect + Math.hypot(otherHigh - otherRate, rate - low),
  ];
}

/** Tables that are this little more probable than the observed one count as equally probable. */
const FISHER_SLACK = 1 + 1e-7;

/**
 * Two-sided: the probability of all tables that are no more probable than the observed one. Weights are relative to
 * the most probable table and follow from one to the next, which needs no factorials.
 */
function fisherTest(control: ProportionCounts, treatment: ProportionCounts): number {
  const [n, other, total] = [control.n, treatment.n, control.conversions + treatment.conversions];
  const [first, last] = [Math.max(0, total - other), Math.min(n, total)];
  const mode = Math.min(last, Math.max(first, Math.floor(((n + 1) * (total + 1)) / (n + other + 2))));
  const ratio = (k: number): number => ((n - k) * (total - k)) / ((k + 1) * (other - total + k + 1));
  const weights = new Map([[mode, 1]]);
  for (let k = mode; k < last; k++) weights.set(k + 1, (weights.get(k) ?? 0) * ratio(k));
  for (let k = mode; k > first; k--) weights.set(k - 1, (weights.get(k) ?? 0) / ratio(k - 1));
  const limit = (weights.get(control.conversions) ?? 0) * FISHER_SLACK;
  let [tail, all] = [0, 0];
  // The smallest first, so that they are not lost beside the large ones.
  for (const weight of [...weights.values()].sort((a, b) => a - b)) {
    all += weight;
    if (weight <= limit) tail = all;
  }
  return tail / all;
}
