/**
 * The difference between a variant and the baseline, on which every test is built, and the same as lift. Decisions are
 * made on the difference: a lift divides by a mean that is itself uncertain, and with rare conversions its usual
 * standard error is far too small.
 */
import type { Arm } from './arm.ts';

export interface Difference {
  /** Entities of both variants. */
  n: number;
  effect: number;
  standardError: number;
  /** Degrees of freedom (Welch). */
  df: number;
}

export interface ArmComparison extends Difference {
  control: Arm;
  treatment: Arm;
  /** Weight of the past (CUPED); 0 where it is not used. */
  theta: number;
}

/** `theta` of 0 compares the values as they are. */
export function compareArms(control: Arm, treatment: Arm, theta = 0): ArmComparison {
  const parts = [squaredError(control, theta), squaredError(treatment, theta)] as const;
  return {
    n: control.n + treatment.n,
    effect: adjustedMean(treatment, theta) - adjustedMean(control, theta),
    standardError: Math.sqrt(parts[0] + parts[1]),
    df: welchDf(control, treatment, parts),
    control,
    treatment,
    theta,
  };
}

const adjustedMean = ({ mean, past }: Arm, theta: number): number => mean - theta * (past?.mean ?? 0);

/** The squared standard error of a mean. */
function squaredError({ n, variance, past }: Arm, theta: number): number {
  const adjusted = variance + theta * theta * (past?.variance ?? 0) - 2 * theta * (past?.covariance ?? 0);
  return Math.max(0, adjusted) / n;
}

/** From shares of the variance, whose squares cannot be lost to rounding as those of tiny variances would. */
function welchDf(control: Arm, treatment: Arm, [one, two]: readonly [number, number]): number {
  const share = one / (one + two);
  return 1 / (share ** 2 / (control.n - 1) + (1 - share) ** 2 / (treatment.n - 1));
}

/** The share of the variance that the past explains. */
export function varianceReduction(comparison: ArmComparison): number {
  const plain = compareArms(comparison.control, comparison.treatment).standardError ** 2;
  return plain === 0 ? 0 : 1 - comparison.standardError ** 2 / plain;
}

/** The difference as a share of the baseline, by the delta method: how others report lift. It never decides. */
export function relativeDifference(comparison: ArmComparison): Difference {
  const { control, treatment, theta, n, effect, df } = comparison;
  const scale = Math.abs(control.mean);
  // gbstats, with which this is to be compared, takes the adjusted difference of ratios here, but plain means.
  const ratio = control.kind === 'ratio' ? 1 + effect / control.mean : treatment.mean / control.mean;
  const past = control.past ?? NO_PAST;
  const baseline =
    (control.variance * ratio * ratio - 2 * theta * past.covariance * ratio + theta * theta * past.variance) /
    control.n;
  const variance = (squaredError(treatment, theta) + Math.max(0, baseline)) / (scale * scale);
  return { n, effect: effect / scale, standardError: Math.sqrt(variance), df };
}

const NO_PAST = { mean: 0, variance: 0, covariance: 0 };

/** Of an interval. */
export type Bounds = readonly [number, number];

/** The difference as a share of the baseline; null where the baseline is 0. */
export function liftOf({ effect, control }: ArmComparison): number | null {
  const lift = effect / Math.abs(control.mean);
  // A baseline of 0, or so near to it that no number can say how many times the effect is more.
  return Number.isFinite(lift) ? lift : null;
}

/**
 * Fieller's interval of the lift: all r with |Δ − r·m_c| ≤ q·se(r), the roots of a quadratic. It excludes 0 exactly
 * when the interval of the difference does. Null where the baseline may be 0, so that no percentage makes sense.
 */
export function liftInterval(comparison: ArmComparison, critical: number): Bounds | null {
  const { control, treatment, theta, effect } = comparison;
  const past = control.past ?? NO_PAST;
  const square = critical * critical;
  const own = control.variance / control.n;
  const shared = (theta * past.covariance) / control.n;
  const rest = own - 2 * shared + (theta * theta * past.variance) / control.n;
  const a = control.mean ** 2 - square * own;
  if (!(a > 0)) return null;
  const half = effect * control.mean + square * (own - shared);
  const c = effect ** 2 - square * (squaredError(treatment, theta) + rest);
  const root = Math.sqrt(Math.max(0, half * half - a * c));
  const [low, high] = [(half - root) / a, (half + root) / a];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  return control.mean > 0 ? [low, high] : [-high, -low];
}
