/** Results as the API returns them: every number with what it was computed from. Null means: not given. */
import { Type } from '@sinclair/typebox';
import type { ArmSums } from '../../../core/experiments/arm.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { AnyObject, DateTime, iso, nullable } from '../../../http/schemas/common.ts';
import { type MetricResult, pValueOf, type VariantResult } from '../rules/assemble-results.ts';
import type { MetricData } from '../rules/experiment-question.ts';
import { metricFingerprint } from '../rules/fingerprint.ts';
import type { DecisionSettings } from '../rules/read-settings.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { CalculatedExperiment, ResultPart } from './experiment-results.ts';
import { presentOldResult } from './present-old-result.ts';

export const ExposuresSchema = Type.Object({
  total: Type.Integer(),
  by_variant: Type.Record(Type.String(), Type.Integer()),
  multiple: Type.Object({ same_id: Type.Integer(), merged_ids: Type.Integer() }),
  without_group: Type.Integer(),
  exposed_before_start: Type.Integer({ description: 'Of those who count: who met a variant before the start, too.' }),
  forced: Type.Integer({ description: 'Of those who count: who match a release condition with a variant.' }),
  timeseries: Type.Array(AnyObject),
  srm: AnyObject,
});

export const ResultsSchema = Type.Object({
  experiment_id: Type.Integer(),
  status: Type.String(),
  as_of: DateTime,
  complete_until: DateTime,
  is_cached: Type.Boolean({ description: 'Calculated before, in the same minute and from the same data.' }),
  method: Type.String(),
  stopping: Type.String(),
  alpha: Type.Number(),
  correction: Type.String(),
  decision_allowed: Type.Boolean(),
  verdict: Type.String({
    description:
      '`no_data`, `too_early`, `collecting`, `better`, `worse`, `no_difference_found`, `split_broken`, `cannot_calculate`; of an A/A test `setup_suspicious`; of a guardrail `harm` or `no_harm`.',
  }),
  sentence: Type.String({ description: 'The verdict in words.' }),
  next_step: Type.String({ description: 'What to do now, in a sentence.' }),
  warnings: Type.Array(Type.Object({ code: Type.String(), sentence: Type.String() })),
  plan: Type.Object({
    planned_users: nullable(Type.Number()),
    users: Type.Integer(),
    days: Type.Number({ description: 'Since the start, or from the start to the end.' }),
    days_left: nullable(
      Type.Integer({ description: 'Until the planned number of people, at the pace of the last week.' }),
    ),
    power_now: nullable(Type.Number({ description: 'The chance to have found `mde_relative` by now.' })),
    mde_now: nullable(Type.Number({ description: 'The smallest change that the people of now can show.' })),
    mde_relative: Type.Number(),
    min_days: Type.Number(),
    max_days: Type.Number(),
  }),
  exposures: ExposuresSchema,
  phases: Type.Array(Type.Object({ from: DateTime, weights: Type.Record(Type.String(), Type.Number()) }), {
    description: 'How the flag was split; each change of the percentages begins a phase.',
  }),
  metrics: Type.Array(AnyObject),
  result: nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The first primary metric as clients of 2023 read it: `{variants, probability, significant, …}`.',
    }),
  ),
  last_refresh: DateTime,
  planned_result: nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Of a fixed plan: verdict and metrics as they were when it was first seen to be reached.',
    }),
  ),
  breakdown: Type.Optional(
    Type.Object({
      property: Type.String(),
      values: Type.Array(AnyObject, {
        description: 'Described, never decided: many parts find differences by chance.',
      }),
    }),
  ),
});

export function presentExposures({ exposures, results, unusualExposures }: CalculatedExperiment) {
  const { status, chiSquare, df, pValue, expected } = results.sampleRatio;
  const variants = Object.keys(exposures.byVariant);
  const days = [...new Set(exposures.days.map(({ day }) => day))].sort((a, b) => a - b);
  const countOf = (variant: string, day: number): number =>
    exposures.days.find((one) => one.variant === variant && one.day === day)?.count ?? 0;
  return {
    total: results.users,
    by_variant: exposures.byVariant,
    multiple: { same_id: exposures.multiple.sameId, merged_ids: exposures.multiple.mergedIds },
    without_group: exposures.withoutGroup,
    exposed_before_start: unusualExposures.exposedBefore,
    forced: unusualExposures.forced,
    timeseries: variants.map((variant) => ({
      variant,
      days: days.map((day) => iso(day)),
      exposure_counts: days.map((day) => countOf(variant, day)),
    })),
    srm: {
      status,
      chi2: chiSquare,
      df,
      p_value: pValue,
      expected: Object.fromEntries(variants.map((variant, at) => [variant, expected[at] ?? 0])),
      diagnosis: results.diagnosis.map((fault) => ({
        property: fault.property,
        value: fault.value,
        p_value: fault.pValue,
        observed: fault.observed,
        expected: fault.expected,
        explains_all: fault.explainsAll,
      })),
    },
  };
}

export function presentResults(calculated: CalculatedExperiment) {
  const { experiment, status, settings, results, phases, unreadable, isCached, now, lagMs } = calculated;
  return {
    experiment_id: experiment.id,
    status,
    as_of: iso(now),
    complete_until: iso(now - lagMs),
    is_cached: isCached,
    method: settings.method,
    stopping: settings.stopping,
    alpha: settings.analysis.alpha,
    correction: settings.correction,
    decision_allowed: results.decisionAllowed,
    verdict: results.verdict,
    sentence: results.sentence,
    next_step: nextStep(calculated),
    warnings: results.warnings,
    plan: {
      planned_users: settings.plan.plannedUsers,
      users: results.users,
      days: daysOf(calculated),
      days_left: results.progress.daysLeft,
      power_now: results.progress.powerNow,
      mde_now: results.progress.mdeNow,
      mde_relative: settings.plan.mdeRelative,
      min_days: settings.plan.minDays,
      max_days: settings.plan.maxDays,
    },
    exposures: presentExposures(calculated),
    phases: phases.map(({ from, variants }) => ({
      from: iso(from),
      weights: Object.fromEntries(variants.map(({ key, weight }) => [key, weight])),
    })),
    metrics: [
      ...results.metrics.map((metric) => ({
        ...presentMetric(metric, settings),
        fingerprint: fingerprintOf(experiment, metric.metric.uuid),
        added_later: addedLater(experiment).includes(metric.metric.uuid),
      })),
      ...unreadable.map(({ uuid, name, reason }) => ({
        uuid,
        name,
        verdict: 'cannot_calculate',
        sentence: reason,
        baseline: null,
        variant_results: [],
      })),
    ],
    result: presentOldResult(calculated),
    last_refresh: iso(now),
  };
}

const daysOf = ({ experiment: { startDate, endDate }, now }: CalculatedExperiment): number =>
  startDate === null ? 0 : Math.max(0, ((endDate ?? now) - startDate) / DAY_MS);

const addedLater = ({ settings: { metrics_added_later: uuids } }: Experiment): Json[] =>
  Array.isArray(uuids) ? uuids : [];

/** Null where the metric is that of a guardrail, which has no number to compare over time. */
export function fingerprintOf({ settings, startDate }: Experiment, uuid: string): string | null {
  const lists = [settings['metrics'], settings['metrics_secondary']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const found = lists.find((one) => isJsonObject(one) && one['uuid'] === uuid);
  return found !== undefined && isJsonObject(found) ? metricFingerprint(found, settings, startDate) : null;
}

/** One thing to do, for each verdict. */
function nextStep({ experiment, status, results: { verdict } }: CalculatedExperiment): string {
  if (status === 'draft') return 'Launch it.';
  if (experiment.settings['rolled_back'] !== undefined) return 'A guardrail has ended it, whatever the metrics say.';
  if (verdict === 'split_broken') return 'Find out why the split is wrong, and start again.';
  if (verdict === 'no_data') return 'Check that your code calls the feature flag.';
  if (verdict === 'cannot_calculate') return 'Check the flag and the metrics.';
  if (verdict === 'setup_suspicious') return 'Check how variants are assigned and events are sent.';
  if (status === 'stopped') return 'It has ended.';
  if (verdict === 'better' || verdict === 'worse') return 'The evidence is enough to decide.';
  return verdict === 'no_difference_found' ? 'You can end it.' : 'Let it run.';
}

/** Nothing is decided by a part: with enough of them, some differ by chance. */
export const presentBreakdown = (property: string, parts: readonly ResultPart[]) => ({
  property,
  values: parts.map(({ value, calculated }) => ({
    value,
    exposures: presentExposures(calculated),
    metrics: calculated.results.metrics.map((metric) => {
      const { variant_results: variants, ...rest } = presentMetric(metric, calculated.settings);
      const described = { significant: false, p_value_adjusted: null, verdict: 'described', sentence: '' };
      return { ...rest, variant_results: (variants as JsonObject[]).map((one) => ({ ...one, ...described })) };
    }),
  })),
});

/** A line for each metric and variant, the baseline first. */
export const resultLines = ({ metrics }: Pick<ReturnType<typeof presentResults>, 'metrics'>): JsonObject[] =>
  metrics.flatMap(({ baseline, variant_results, ...metric }: JsonObject): JsonObject[] =>
    [baseline ?? null, ...((variant_results ?? []) as Json[])].flatMap((variant) =>
      variant !== null && isJsonObject(variant) ? [{ ...metric, ...variant }] : [],
    ),
  );

function presentMetric({ metric, baseline, variants }: MetricResult, settings: DecisionSettings): JsonObject {
  return {
    uuid: metric.uuid,
    name: metric.name,
    role: metric.role,
    metric_type: metric.metricType,
    threshold: metric.asked.kind === 'mean' ? metric.asked.threshold : null,
    goal: metric.isLowerBetter ? 'decrease' : 'increase',
    open_window: metric.windowMs === null,
    guardrail:
      metric.guardrail === null
        ? null
        : {
            margin_relative: metric.guardrail.margin,
            action: metric.guardrail.action,
            min_users: metric.guardrail.minUsers,
          },
    baseline: baseline === null ? null : { key: settings.baselineKey, ...presentData(baseline) },
    variant_results: variants.map((variant) => presentVariant(variant, settings)),
  };
}

/** Sums as PostHog names them; a conversion is a value of 0 or 1. */
function presentData({ data, stepCounts, uncappedSum, ignoredValues }: MetricData): JsonObject {
  const { sums } = data;
  return {
    number_of_samples: sums.n,
    ...sumsOf(sums),
    ...(stepCounts === null ? {} : { step_counts: stepCounts }),
    ...(ignoredValues === null ? {} : { ignored_values: ignoredValues }),
    ...(uncappedSum === null ? {} : { uncapped_mean: ratioOrNull(uncappedSum, sums.n) }),
  };
}

function sumsOf(sums: ArmSums): JsonObject {
  if (sums.kind === 'proportion')
    return { sum: sums.conversions, sum_squares: sums.conversions, mean: ratioOrNull(sums.conversions, sums.n) };
  const own = { sum: sums.sum, sum_squares: sums.sumSquares };
  if (sums.kind === 'mean') return { ...own, mean: ratioOrNull(sums.sum, sums.n) };
  return {
    ...own,
    denominator_sum: sums.denominatorSum,
    denominator_sum_squares: sums.denominatorSumSquares,
    numerator_denominator_sum_product: sums.product,
    mean: ratioOrNull(sums.sum, sums.denominatorSum),
  };
}

const ratioOrNull = (value: number, by: number): number | null => (by === 0 ? null : value / by);

export function presentVariant(variant: VariantResult, settings: DecisionSettings): JsonObject {
  const { key, data, analysis, pValueAdjusted, isSignificant, verdict, sentence } = variant;
  const { comparison, lift, fixed, sequential, bayesian, cuped, failures } = analysis;
  const chosen = settings.stopping === 'sequential' ? sequential : fixed;
  // Where all of a variant have the same value, such as no conversion yet, its uncertainty is not known.
  const liftInterval = comparison?.treatment.variance === 0 ? null : chosen?.liftInterval;
  const scale = comparison === null || comparison.control.mean === 0 ? null : Math.abs(comparison.control.mean);
  const relative = (bounds: readonly [number, number] | undefined): Json =>
    bounds === undefined || scale === null ? null : [bounds[0] / scale, bounds[1] / scale];
  const { areAbsolute } = settings;
  return {
    key,
    method: settings.method,
    ...(data === null ? { number_of_samples: 0 } : presentData(data)),
    difference: comparison?.effect ?? null,
    lift,
    lift_interval: listOf(liftInterval),
    p_value: pValueOf(analysis, settings),
    p_value_adjusted: pValueAdjusted,
    confidence_interval: listOf(areAbsolute.frequentist ? chosen?.interval : liftInterval),
    chance_to_win: bayesian?.chanceToWin ?? null,
    credible_interval: areAbsolute.bayesian ? listOf(bayesian?.interval) : relative(bayesian?.interval),
    significant: isSignificant,
    validation_failures: failures,
    fixed:
      fixed === null
        ? null
        : { p_value: fixed.pValue, p_method: fixed.method, interval: listOf(fixed.interval), df: fixed.df },
    sequential: sequential === null ? null : { p_value: sequential.pValue, interval: listOf(sequential.interval) },
    bayesian:
      bayesian === null
        ? null
        : {
            mean: bayesian.mean,
            sd: bayesian.sd,
            expected_loss: bayesian.expectedLoss,
            expected_loss_control: bayesian.expectedLossControl,
          },
    cuped:
      cuped === null
        ? null
        : { theta: cuped.theta, variance_reduction: cuped.varianceReduction, with_past: data?.withPast ?? 0 },
    verdict,
    sentence,
  };
}

const listOf = (bounds: readonly [number, number] | null | undefined): Json =>
  bounds === null || bounds === undefined ? null : [...bounds];
