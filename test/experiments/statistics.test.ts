/** The statistics of experiments against values that other implementations calculated (scipy, gbstats). */
import { expect, it } from 'vitest';
import { type ArmSums, armOf, failureOfPair, pastWeight } from '../../src/core/experiments/arm.ts';
import { posteriorOf } from '../../src/core/experiments/bayesian.ts';
import {
  type ArmComparison,
  compareArms,
  type Difference,
  liftInterval,
  liftOf,
  relativeDifference,
  varianceReduction,
} from '../../src/core/experiments/compare-arms.ts';
import { benjaminiHochberg, holm } from '../../src/core/experiments/corrections.ts';
import { normalQuantile } from '../../src/core/experiments/distributions.ts';
import { proportionTest, welchTest } from '../../src/core/experiments/fixed-tests.ts';
import { detectableEffect, type PowerPlan, powerAfter, sampleSize } from '../../src/core/experiments/power.ts';
import { checkSampleRatio } from '../../src/core/experiments/sample-ratio.ts';
import { oneSidedReach, sequentialTest } from '../../src/core/experiments/sequential-test.ts';
import { winsorBounds, winsorise } from '../../src/core/experiments/winsorise.ts';
import { describeVectors } from '../support/vectors.ts';

type Numbers = Record<string, number>;
interface Case {
  id: string;
  kind: string;
  tolerance: number;
  scale?: number;
  input: {
    control: Numbers;
    treatment: Numbers;
    difference?: 'absolute' | 'relative';
    metric?: string;
    alpha: number;
    [key: string]: unknown;
  };
  expected: Record<string, unknown>;
}

/** The optional kind of metric that Cairn does not offer. */
const NOT_OFFERED = ['quantile'];

function sumsOf(kind: string, arm: Numbers): ArmSums {
  const at = (key: string): number => arm[key] ?? 0;
  const n = at('n');
  if (kind === 'proportion') return { kind, n, conversions: at('conversions') };
  if (kind === 'cuped_ratio') return ratioWithPast(arm as never);
  if (kind === 'ratio')
    return {
      kind,
      n,
      sum: at('sum'),
      sumSquares: at('sum_squares'),
      denominatorSum: at('denominator_sum'),
      denominatorSumSquares: at('denominator_sum_squares'),
      product: at('numerator_denominator_sum_product'),
    };
  const past =
    kind === 'cuped_mean'
      ? { sum: at('pre_sum'), sumSquares: at('pre_sum_squares'), product: at('post_pre_sum_product') }
      : undefined;
  return { kind: 'mean', n, sum: at('sum'), sumSquares: at('sum_squares'), past };
}

function ratioWithPast(
  arm: { n: number } & Record<'num' | 'den' | 'pre_num' | 'pre_den' | 'products', Numbers>,
): ArmSums {
  const at = (part: Exclude<keyof typeof arm, 'n'>, key: string): number => arm[part][key] ?? 0;
  return {
    kind: 'ratio',
    n: arm.n,
    sum: at('num', 'sum'),
    sumSquares: at('num', 'sum_squares'),
    denominatorSum: at('den', 'sum'),
    denominatorSumSquares: at('den', 'sum_squares'),
    product: at('products', 'num_den'),
    past: {
      sum: at('pre_num', 'sum'),
      sumSquares: at('pre_num', 'sum_squares'),
      denominatorSum: at('pre_den', 'sum'),
      denominatorSumSquares: at('pre_den', 'sum_squares'),
      product: at('products', 'pre_num_pre_den'),
      numeratorPastNumerator: at('products', 'num_pre_num'),
      numeratorPastDenominator: at('products', 'num_pre_den'),
      denominatorPastNumerator: at('products', 'pre_num_den'),
      denominatorPastDenominator: at('products', 'den_pre_den'),
    },
  };
}

function comparisonOf(kind: string, { control, treatment }: Case['input']): ArmComparison {
  const [one, two] = [sumsOf(kind, control), sumsOf(kind, treatment)];
  return compareArms(armOf(one), armOf(two), pastWeight(one, two));
}

const differenceOf = (comparison: ArmComparison, difference: unknown): Difference =>
  difference === 'relative' ? relativeDifference(comparison) : comparison;

function welch(kind: string, input: Case['input']): Record<string, unknown> {
  const comparison = comparisonOf(kind, input);
  const difference = differenceOf(comparison, input.difference);
  const test = welchTest(difference, input.alpha);
  return {
    control_mean: comparison.control.mean,
    treatment_mean: comparison.treatment.mean,
    control_ratio: comparison.control.mean,
    treatment_ratio: comparison.treatment.mean,
    control_variance: comparison.control.variance,
    treatment_variance: comparison.treatment.variance,
    theta: comparison.theta,
    variance_reduction: varianceReduction(comparison),
    effect: difference.effect,
    standard_error: difference.standardError,
    df: difference.df,
    t: difference.effect / difference.standardError,
    p_value: test.pValue,
    log10_p: Math.log10(test.pValue),
    interval: test.interval,
  };
}

function proportion({ control, treatment, alpha, ...rest }: Case['input']): Record<string, unknown> {
  const [one, two] = [sumsOf('proportion', control), sumsOf('proportion', treatment)];
  if (one.kind !== 'proportion' || two.kind !== 'proportion') throw new Error('not a proportion');
  const test = proportionTest(one, two, alpha);
  const comparison = comparisonOf('proportion', { control, treatment, alpha, ...rest });
  const relative = relativeDifference(comparison);
  const half = normalQuantile(1 - alpha / 2) * relative.standardError;
  return {
    control_rate: comparison.control.mean,
    treatment_rate: comparison.treatment.mean,
    effect_absolute: comparison.effect,
    interval_absolute: test.interval,
    p_method: test.method,
    p_value: test.pValue,
    log10_p: Math.log10(test.pValue),
    z: test.z,
    effect_relative: comparison.control.mean === 0 ? null : relative.effect,
    interval_relative: !(comparison.control.mean > 0 && relative.standardError > 0)
      ? null
      : [relative.effect - half, relative.effect + half],
  };
}

function bayesian(input: Case['input']): Record<string, unknown> {
  const comparison = comparisonOf(String(input.metric), input);
  const prior = input['prior'] as { proper: boolean; mean: number; sd: number; scale: string };
  const scale = input.difference === 'absolute' && prior.scale === 'relative' ? Math.abs(comparison.control.mean) : 1;
  const posterior = posteriorOf(
    differenceOf(comparison, input.difference),
    prior.proper ? { mean: prior.mean * scale, sd: prior.sd * scale } : null,
    { level: Number(input['ci_level']), isLowerBetter: input['lower_is_better'] === true },
  );
  return {
    posterior_mean: posterior.mean,
    posterior_sd: posterior.sd,
    credible_interval: posterior.interval,
    chance_to_win: posterior.chanceToWin,
    expected_loss_control: posterior.expectedLossControl,
    expected_loss_treatment: posterior.expectedLoss,
  };
}

function sequential(input: Case['input']): Record<string, unknown> {
  const difference = differenceOf(comparisonOf(String(input.metric), input), input.difference);
  const { rho, interval, pValue, critical } = sequentialTest(difference, input.alpha, Number(input['tuning_n']));
  const { effect, standardError } = difference;
  return {
    effect,
    standard_error: standardError,
    rho,
    halfwidth: critical * standardError,
    interval,
    p_value: pValue,
    log10_p: Math.log10(pValue),
  };
}

function oneSided(input: Case['input']): Record<string, unknown> {
  const difference = differenceOf(comparisonOf(String(input.metric), input), input.difference);
  const { rho, reach } = oneSidedReach(difference, input.alpha, Number(input['tuning_n']));
  return {
    effect: difference.effect,
    standard_error: difference.standardError,
    rho,
    halfwidth: reach,
    lower_bound: input['bound'] === 'lower' ? difference.effect - reach : null,
    upper_bound: input['bound'] === 'upper' ? difference.effect + reach : null,
  };
}

function fieller(input: Case['input']): Record<string, unknown> {
  const comparison = comparisonOf('mean', input);
  return { lift: liftOf(comparison), interval: liftInterval(comparison, Number(input['critical'])) };
}

function srm({ observed, weights }: { observed: number[]; weights: number[] }): Record<string, unknown> {
  const { chiSquare, df, pValue, expected, status } = checkSampleRatio(observed, weights);
  return { chi2: chiSquare, df, p_value: pValue, log10_p: Math.log10(pValue), expected, status };
}

const baselineOf = (input: Record<string, unknown>): PowerPlan['baseline'] => {
  const mean = Number(input['baseline']);
  const isProportion = input['metric'] === 'proportion';
  return { mean, growsByPeople: isProportion, variance: isProportion ? mean * (1 - mean) : Number(input['sd']) ** 2 };
};

const stoppingOf = (input: Record<string, unknown>) => ({
  alpha: Number(input['alpha']),
  comparisons: Number(input['comparisons'] ?? 1),
  tuningN: input['sequential'] === true ? Number(input['tuning_n']) : null,
});

function size(input: Record<string, unknown>): Record<string, unknown> {
  const found = sampleSize({
    ...stoppingOf(input),
    baseline: baselineOf(input),
    mdeRelative: Number(input['mde_relative']),
    power: Number(input['power']),
    treatmentPerControl: Number(input['treatment_per_control']),
  });
  return { control_n: found?.control, treatment_n: found?.treatment, power_reached: found?.power };
}

const mde = (input: Record<string, unknown>): Record<string, unknown> => ({
  mde_relative: detectableEffect(stoppingOf(input), baselineOf(input), {
    control: Number(input['control_n']),
    treatment: Number(input['treatment_n']),
    power: Number(input['power']),
  }),
});

const remainingPower = (input: Record<string, unknown>): Record<string, unknown> => ({
  power: powerAfter(
    stoppingOf(input),
    { n: Number(input['users']), standardError: Number(input['standard_error']), effect: Number(input['mde']) },
    Number(input['extra_users']),
  ),
});

function winsorised(input: Record<string, unknown>): Record<string, unknown> {
  const values = Float64Array.from(input['values'] as number[]);
  const levels = {
    lower: input['lower_bound_percentile'] as number | null,
    upper: input['upper_bound_percentile'] as number | null,
    ignoreZeros: input['ignore_zeros'] === true,
  };
  const bounds = winsorBounds(values, levels);
  const moved = winsorise(values, levels);
  return {
    ...bounds,
    n: moved.length,
    sum: moved.reduce((sum, value) => sum + value, 0),
    sum_squares: moved.reduce((sum, value) => sum + value * value, 0),
  };
}

function refusal(input: Case['input']): Record<string, unknown> {
  const kind = input['of'] === 'ratio' ? 'ratio' : 'mean';
  const [one, two] = [sumsOf(kind, input.control), sumsOf(kind, input.treatment)];
  const failure = failureOfPair(one, two);
  if (failure !== null) return { failure };
  const comparison = compareArms(armOf(one), armOf(two));
  if (input.difference === 'relative' && comparison.control.mean === 0) return { failure: 'baseline-mean-is-zero' };
  return { failure: comparison.standardError === 0 ? 'zero-variance' : null };
}

function answerTo({ kind, input }: Case): Record<string, unknown> {
  switch (kind) {
    case 'welch':
    case 'ratio':
    case 'cuped_mean':
    case 'cuped_ratio':
      return welch(kind, input);
    case 'proportion':
      return proportion(input);
    case 'bayesian':
      return bayesian(input);
    case 'sequential':
      return sequential(input);
    case 'sequential_one_sided':
      return oneSided(input);
    case 'fieller':
      return fieller(input);
    case 'holm':
      return { adjusted: holm(input['p_values'] as number[]) };
    case 'benjamini_hochberg':
      return { adjusted: benjaminiHochberg(input['p_values'] as number[]) };
    case 'srm':
      return srm(input as never);
    case 'sample_size':
      return size(input);
    case 'mde':
      return mde(input);
    case 'remaining_power':
      return remainingPower(input);
    case 'winsorise':
      return winsorised(input);
    case 'refusal':
      return refusal(input);
    default:
      throw new Error(`no statistic is called ${kind}`);
  }
}

/** Counts are compared exactly. */
const EXACT = ['control_n', 'treatment_n'];

function problemsIn({ tolerance, scale = 1, expected, ...rest }: Case): string[] {
  const answer = answerTo({ tolerance, scale, expected, ...rest });
  const agrees = (got: unknown, wanted: unknown, key: string): boolean => {
    if (Array.isArray(wanted))
      return Array.isArray(got) && got.length === wanted.length && got.every((one, at) => agrees(one, wanted[at], key));
    if (typeof wanted !== 'number' || EXACT.includes(key)) return got === wanted;
    return typeof got === 'number' && Math.abs(got - wanted) <= tolerance * Math.max(scale, Math.abs(wanted));
  };
  return Object.entries(expected)
    .filter(([key, wanted]) => !agrees(answer[key], wanted, key))
    .map(([key, wanted]) => `${key}: ${JSON.stringify(answer[key])}, not ${JSON.stringify(wanted)}`);
}

describeVectors<{ cases: Case[] }>('statistics of experiments', 'experiment-stats.json', ({ cases }) => {
  const kinds = [...new Set(cases.map(({ kind }) => kind))].filter((kind) => !NOT_OFFERED.includes(kind));
  it.each(kinds)('%s agrees with other implementations', (kind) => {
    const own = cases.filter((one) => one.kind === kind);
    expect(own.flatMap((one) => problemsIn(one).map((problem) => `${one.id} ${problem}`))).toEqual([]);
  });
});
