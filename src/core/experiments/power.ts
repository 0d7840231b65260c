/** How many entities an experiment needs, and what a given number can show. */
import { normalCdf, normalQuantile } from './distributions.ts';
import { sequentialCritical } from './sequential-test.ts';

interface Stopping {
  alpha: number;
  /** How many comparisons are corrected for. */
  comparisons: number;
  /** Null for a fixed horizon. */
  tuningN: number | null;
}

export interface PowerPlan extends Stopping {
  baseline: {
    mean: number;
    variance: number;
    /** An effect means that more people do it, as with conversions and sales: then the variance grows with it. */
    growsByPeople: boolean;
  };
  /** The smallest change worth knowing, as a share of the baseline. */
  mdeRelative: number;
  power: number;
  /** Entities in the variant for each one in the baseline. */
  treatmentPerControl: number;
}

/** How many standard errors a result must exceed. */
const criticalAt = ({ alpha, comparisons, tuningN }: Stopping, n: number): number =>
  tuningN === null ? normalQuantile(1 - alpha / comparisons / 2) : sequentialCritical(n, alpha / comparisons, tuningN);

/** The chance to find an effect of this many standard errors. */
const powerAt = (stopping: Stopping, n: number, standardErrors: number): number => {
  const critical = criticalAt(stopping, n);
  return normalCdf(standardErrors - critical) + normalCdf(-standardErrors - critical);
};

/** Of a running experiment after so many more entities. */
export const powerAfter = (
  stopping: Stopping,
  { n, standardError, effect }: { n: number; standardError: number; effect: number },
  extra: number,
): number => powerAt(stopping, n + extra, Math.abs(effect) / (standardError * Math.sqrt(n / (n + extra))));

interface SampleSize {
  control: number;
  treatment: number;
  power: number;
}

/** Nobody waits for more. */
const MAX_ENTITIES = 1e12;

/** Null where no number of entities is enough, such as for a baseline of 0. */
export function sampleSize(plan: PowerPlan): SampleSize | null {
  const needed = plan.tuningN === null ? fixedSize(plan) : sequentialSize(plan);
  if (!(needed <= MAX_ENTITIES)) return null;
  const control = Math.ceil(needed);
  const treatment = Math.ceil(plan.treatmentPerControl * needed);
  return { control, treatment, power: powerOf(plan, control, treatment) };
}

/** The effect to be found, and the variances without and with it. */
function effectOf({ baseline, mdeRelative }: PowerPlan) {
  const effect = mdeRelative * Math.abs(baseline.mean);
  const mean = baseline.mean + effect;
  const square = (baseline.variance + baseline.mean ** 2) * (mean / baseline.mean);
  const variance = baseline.growsByPeople ? Math.max(0, square - mean ** 2) : baseline.variance;
  return { effect, variances: [baseline.variance, variance] as const };
}

const standardErrorAt = (plan: PowerPlan, control: number, treatment: number): number => {
  const { variances } = effectOf(plan);
  return Math.sqrt(variances[0] / control + variances[1] / treatment);
};

const powerOf = (plan: PowerPlan, control: number, treatment: number): number =>
  powerAt(plan, control + treatment, effectOf(plan).effect / standardErrorAt(plan, control, treatment));

function fixedSize(plan: PowerPlan): number {
  const { effect } = effectOf(plan);
  const needed = criticalAt(plan, 0) + normalQuantile(plan.power);
  return (needed * standardErrorAt(plan, 1, plan.treatmentPerControl)) ** 2 / effect ** 2;
}

/** By bisection, since the critical value itself depends on the number of entities. */
function sequentialSize(plan: PowerPlan): number {
  const isEnough = (n: number): boolean => powerOf(plan, n, plan.treatmentPerControl * n) >= plan.power;
  let high = 1;
  while (!isEnough(high) && high <= MAX_ENTITIES) high *= 2;
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The smallest change, as a share of the baseline, that these numbers of entities can show. */
export function detectableEffect(
  stopping: Stopping,
  { mean, variance }: { mean: number; variance: number },
  { control, treatment, power }: SampleSize,
): number | null {
  if (mean === 0 || control === 0 || treatment === 0) return null;
  const needed = criticalAt(stopping, control + treatment) + normalQuantile(power);
  return (needed * Math.sqrt(variance / control + variance / treatment)) / Math.abs(mean);
}

/** The same for a difference whose standard error is known. */
export const detectableNow = (
  stopping: Stopping,
  { n, standardError }: { n: number; standardError: number },
  mean: number,
  power: number,
): number => ((criticalAt(stopping, n) + normalQuantile(power)) * standardError) / Math.abs(mean);
