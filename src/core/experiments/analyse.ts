/**
 * One variant against the baseline, with everything that can be said about one metric. Where something cannot be said
 * it is null, and a failure says why: a missing number is never replaced by a harmless one.
 */
import { type ArmSums, armOf, failureOfPair, pastWeight, type ValidationFailure } from './arm.ts';
import { type Posterior, type Prior, posteriorOf } from './bayesian.ts';
import {
  type ArmComparison,
  type Bounds,
  compareArms,
  liftInterval,
  liftOf,
  varianceReduction,
} from './compare-arms.ts';
import { type FixedTest, proportionTest, welchTest } from './fixed-tests.ts';
import { type SequentialTest, sequentialTest } from './sequential-test.ts';

export interface VariantData {
  sums: ArmSums;
  /** Entities whose value is not 0; for a conversion, those who converted. */
  nonZero: number;
  /** Every value is 0 or 1. */
  isBinary: boolean;
}

export interface AnalysisSettings {
  alpha: number;
  /** Where the sequential interval is narrowest. */
  tuningN: number;
  /** Of credible intervals. */
  level: number;
  /** About the lift; null for a flat one. */
  prior: Prior | null;
  isLowerBetter: boolean;
}

type FixedResult = FixedTest & { method: 'welch' | 'z' | 'fisher'; df: number | null; liftInterval: Bounds | null };
type SequentialResult = SequentialTest & { liftInterval: Bounds | null };

export interface Analysis {
  failures: ValidationFailure[];
  /** Whether there is enough data for the approximations behind the tests. */
  hasEnough: boolean;
  comparison: ArmComparison | null;
  lift: number | null;
  fixed: FixedResult | null;
  sequential: SequentialResult | null;
  /** On the scale of the difference. */
  bayesian: Posterior | null;
  cuped: { theta: number; varianceReduction: number } | null;
}

/** In each variant. */
export const MIN_ENTITIES = 100;
const MIN_CONVERSIONS = 25;
const MIN_NON_ZERO = 100;

export function analyse(control: VariantData, treatment: VariantData, settings: AnalysisSettings): Analysis {
  const failure = failureOfPair(control.sums, treatment.sums);
  if (failure !== null) return { ...NOTHING, failures: [failure] };
  const theta = pastWeight(control.sums, treatment.sums);
  const comparison = compareArms(armOf(control.sums), armOf(treatment.sums), theta);
  const shared = { comparison, lift: liftOf(comparison), cuped: cupedOf(comparison) };
  const failures = failuresOf(control, treatment, comparison);
  const hasEnough = hasEnoughData(control) && hasEnoughData(treatment);
  const fixed = fixedResult(control.sums, treatment.sums, comparison, settings.alpha);
  // Exact tests of conversions hold without variance; all others divide by it.
  if (comparison.standardError === 0) return { ...NOTHING, ...shared, failures, hasEnough, fixed };
  const sequential = sequentialTest(comparison, settings.alpha, settings.tuningN);
  return {
    ...shared,
    failures,
    hasEnough,
    fixed,
    sequential: { ...sequential, liftInterval: liftInterval(comparison, sequential.critical) },
    bayesian: bayesianOf(comparison, settings),
  };
}

const NOTHING: Analysis = {
  failures: [],
  hasEnough: false,
  comparison: null,
  lift: null,
  fixed: null,
  sequential: null,
  bayesian: null,
  cuped: null,
};

const cupedOf = (comparison: ArmComparison): Analysis['cuped'] =>
  comparison.control.past === null
    ? null
    : { theta: comparison.theta, varianceReduction: varianceReduction(comparison) };

function failuresOf(control: VariantData, treatment: VariantData, comparison: ArmComparison): ValidationFailure[] {
  const found: [ValidationFailure, boolean][] = [
    ['not-enough-exposures', [control, treatment].some(({ sums }) => sums.n < MIN_ENTITIES)],
    ['not-enough-metric-data', ![control, treatment].every(hasEnoughValues)],
    ['baseline-mean-is-zero', comparison.control.mean === 0],
    ['zero-variance', comparison.standardError === 0],
  ];
  return found.flatMap(([failure, applies]) => (applies ? [failure] : []));
}

const hasEnoughValues = ({ nonZero, isBinary }: VariantData): boolean =>
  nonZero >= (isBinary ? MIN_CONVERSIONS : MIN_NON_ZERO);

/** Whether a variant has enough data for the approximations behind the tests. */
export const hasEnoughData = (data: VariantData): boolean => data.sums.n >= MIN_ENTITIES && hasEnoughValues(data);

function fixedResult(
  control: ArmSums,
  treatment: ArmSums,
  comparison: ArmComparison,
  alpha: number,
): FixedResult | null {
  if (control.kind === 'proportion' && treatment.kind === 'proportion') {
    const test = proportionTest(control, treatment, alpha);
    return { ...test, df: null, liftInterval: liftInterval(comparison, test.critical) };
  }
  if (comparison.standardError === 0) return null;
  const test = welchTest(comparison, alpha);
  return { ...test, method: 'welch', df: comparison.df, liftInterval: liftInterval(comparison, test.critical) };
}

/** A prior is about the lift, so it needs a baseline to be put on the scale of the difference. */
function bayesianOf(comparison: ArmComparison, { prior, level, isLowerBetter }: AnalysisSettings): Posterior | null {
  const scale = Math.abs(comparison.control.mean);
  if (prior !== null && scale === 0) return null;
  const scaled = prior === null ? null : { mean: prior.mean * scale, sd: prior.sd * scale };
  return posteriorOf(comparison, scaled, { level, isLowerBetter });
}
