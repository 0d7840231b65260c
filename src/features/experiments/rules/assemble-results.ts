/** From what was measured to what is said: statistics of every comparison, the check on the split, and the verdict. */
import {
  type Analysis,
  analyse,
  hasEnoughData,
  MIN_ENTITIES,
  type VariantData,
} from '../../../core/experiments/analyse.ts';
import type { ValidationFailure } from '../../../core/experiments/arm.ts';
import { benjaminiHochberg, holm } from '../../../core/experiments/corrections.ts';
import { checkCounts, checkSampleRatio, type SampleRatio } from '../../../core/experiments/sample-ratio.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { SplitFault } from './diagnose-split.ts';
import { type ExposureAnswer, type MetricData, openWindowMs } from './experiment-question.ts';
import { type GuardedVariant, judgeGuardrail } from './judge-guardrail.ts';
import {
  type ComparedVariant,
  type PlanProgress,
  planProgress,
  type Sensitivity,
  sensitivityOf,
  VERY_LIKELY,
} from './plan-progress.ts';
import type { ExperimentMetric } from './read-metrics.ts';
import type { DecisionSettings } from './read-settings.ts';
import { pastWarnings, type ResultWarning, warningsOf } from './result-warnings.ts';
import { expectedCounts, type MeasuredVariant, type SplitPhase } from './split-phases.ts';

export interface MeasuredExperiment {
  settings: DecisionSettings;
  /** In the order of the flag, with their weights. */
  variants: readonly MeasuredVariant[];
  /** How the flag was split while it ran. */
  phases: readonly SplitPhase[];
  exposures: ExposureAnswer;
  /** Of those who count: who met a variant before the start, and who was given one by a condition; absent: no one. */
  unusualExposures?: { exposedBefore: number; forced: number };
  releaseChanges?: readonly number[];
  /** Absent: it is there. */
  isFlagDeleted?: boolean;
  metrics: readonly { metric: ExperimentMetric; data: readonly MetricData[] }[];
  startedAt: number;
  /** When it ended, or null. */
  endedAt: number | null;
  now: number;
  /** The start of the current day in the project's time zone; absent: it is not known. */
  today?: number;
}

type Verdict =
  | 'no_data'
  | 'too_early'
  | 'collecting'
  | 'better'
  | 'worse'
  | 'no_difference_found'
  | 'split_broken'
  | 'cannot_calculate'
  | 'harm'
  | 'no_harm'
  | 'setup_suspicious';

interface Said {
  verdict: Verdict;
  sentence: string;
}

export interface VariantResult extends Said {
  key: string;
  data: MetricData | null;
  analysis: Analysis;
  pValueAdjusted: number | null;
  isSignificant: boolean;
}

export interface MetricResult {
  metric: ExperimentMetric;
  baseline: MetricData | null;
  variants: VariantResult[];
}

export interface ExperimentResults extends Said {
  decisionAllowed: boolean;
  /** Whether the planned people and days are reached. */
  isPlanDone: boolean;
  users: number;
  sampleRatio: SampleRatio;
  /** Where a split goes wrong that is not as planned. */
  diagnosis: SplitFault[];
  metrics: MetricResult[];
  progress: PlanProgress;
  warnings: ResultWarning[];
}

export function assembleResults(measured: MeasuredExperiment): ExperimentResults {
  const { exposures } = measured;
  const users = Object.values(exposures.byVariant).reduce((sum, count) => sum + count, 0);
  const sampleRatio = checkSplit(measured);
  const isPlanDone = hasReachedPlan(measured, users);
  const compared = measured.metrics.map((one) => compareVariants(measured, one));
  const progress = progressOf(measured, compared, users);
  const state = { sampleRatio, users, isPlanDone, progress };
  const metrics = adjust(compared, measured.settings).map((result) => ({
    ...result,
    variants: result.variants.map((variant) => decide(measured, result, variant, state)),
  }));
  const said = cannotMeasure(measured) ?? overall(metrics, sampleRatio, users, measured.settings.primaryUuid);
  return {
    ...said,
    decisionAllowed: said.verdict === 'better' || said.verdict === 'worse' || said.verdict === 'no_difference_found',
    isPlanDone,
    users,
    sampleRatio,
    diagnosis: [],
    metrics,
    progress,
    warnings: [...warningsOf(measured, users, sampleRatio), ...pastWarnings(metrics)],
  };
}

/** By the metric that decides. */
function progressOf(measured: MeasuredExperiment, compared: readonly Compared[], users: number): PlanProgress {
  const { settings, exposures, startedAt, endedAt, now, today = now } = measured;
  const first = primaryOf(compared, settings.primaryUuid);
  const windowMs = first === undefined ? 0 : openWindowMs({ ...first.metric.asked, windowMs: first.metric.windowMs });
  return planProgress({
    settings,
    users,
    days: exposures.days,
    windowMs,
    compared: first === undefined ? [] : comparedOf(first.variants),
    startedAt,
    endedAt,
    now,
    today,
  });
}

const comparedOf = (variants: readonly { analysis: Analysis }[]): ComparedVariant[] =>
  variants.flatMap(({ analysis: { comparison } }) =>
    comparison === null
      ? []
      : [{ n: comparison.n, standardError: comparison.standardError, baselineMean: comparison.control.mean }],
  );

function primaryOf<R extends Pick<MetricResult, 'metric'>>(
  results: readonly R[],
  primaryUuid: string | null,
): R | undefined {
  const primary = results.filter(({ metric }) => metric.role === 'primary');
  return primary.find(({ metric }) => metric.uuid === primaryUuid) ?? primary[0];
}

/** Each phase of the split by its own percentages. */
function checkSplit({ variants, phases, exposures }: MeasuredExperiment): SampleRatio {
  const observed = variants.map(({ key }) => exposures.byVariant[key] ?? 0);
  if (phases.length < 2 || exposures.phases.length !== phases.length)
    return checkSampleRatio(
      observed,
      variants.map(({ weight }) => weight),
    );
  const counted = phases.map((phase, at) => ({ ...phase, counts: exposures.phases[at] ?? {} }));
  return checkCounts(observed, expectedCounts(variants, counted));
}

/** Everybody and every day that the plan asks for, or the end. */
function hasReachedPlan({ settings, startedAt, endedAt, now }: MeasuredExperiment, users: number): boolean {
  const { plannedUsers, minDays } = settings.plan;
  const days = ((endedAt ?? now) - startedAt) / DAY_MS;
  return plannedUsers !== null && users >= plannedUsers && days >= minDays;
}

/** What keeps everything from being calculated. */
function cannotMeasure({ variants, settings: { baselineKey } }: MeasuredExperiment): Said | null {
  const said = (sentence: string): Said => ({ verdict: 'cannot_calculate', sentence });
  if (variants.length === 0) return said('The feature flag of this experiment has no variants any more, or is gone.');
  if (variants.some(({ key }) => key === baselineKey)) return null;
  return said(`The flag has no variant ${baselineKey} any more, so there is nothing to compare with.`);
}

type Compared = Omit<MetricResult, 'variants'> & { variants: Omit<VariantResult, keyof Said | 'isSignificant'>[] };

function compareVariants(
  { settings, variants }: MeasuredExperiment,
  { metric, data }: MeasuredExperiment['metrics'][number],
): Compared {
  const { baselineKey, analysis } = settings;
  const find = (key: string): MetricData | null => data.find(({ variant }) => variant === key) ?? null;
  const baseline = find(baselineKey);
  const others = variants.filter(({ key }) => key !== baselineKey);
  const nothing = nobody(metric);
  return {
    metric,
    baseline,
    variants: others.map(({ key }) => {
      const own = find(key);
      const result = analyse(baseline?.data ?? nothing, own?.data ?? nothing, {
        ...analysis,
        isLowerBetter: metric.isLowerBetter,
      });
      return { key, data: own, analysis: result, pValueAdjusted: null };
    }),
  };
}

/** A variant that nobody was exposed to. */
const nobody = ({ metricType, asked }: ExperimentMetric): VariantData => ({
  sums:
    metricType === 'ratio' || metricType === 'retention'
      ? { kind: 'ratio', n: 0, sum: 0, sumSquares: 0, denominatorSum: 0, denominatorSumSquares: 0, product: 0 }
      : { kind: 'mean', n: 0, sum: 0, sumSquares: 0 },
  nonZero: 0,
  isBinary: asked.kind === 'funnel' || (asked.kind === 'mean' && asked.threshold !== null),
});

/** Primary metrics are one family, secondary ones another, which allows for more. */
function adjust(results: readonly Compared[], settings: DecisionSettings): Compared[] {
  const correct = { holm, 'benjamini-hochberg': benjaminiHochberg, none: (p: readonly number[]) => [...p] };
  const adjusted = new Map<Compared['variants'][number], number>();
  for (const role of ['primary', 'secondary'] as const) {
    const family = results
      .filter(({ metric }) => metric.role === role)
      .flatMap(({ variants }) => variants)
      .filter(({ analysis }) => pValueOf(analysis, settings) !== null);
    const isHolm = settings.correction === 'holm';
    const method = role === 'secondary' && isHolm ? 'benjamini-hochberg' : settings.correction;
    const pValues = correct[method](family.map(({ analysis }) => pValueOf(analysis, settings) ?? 1));
    family.forEach((variant, at) => {
      adjusted.set(variant, pValues[at] ?? 1);
    });
  }
  return results.map((result) => ({
    ...result,
    variants: result.variants.map((variant) => ({ ...variant, pValueAdjusted: adjusted.get(variant) ?? null })),
  }));
}

export const pValueOf = (analysis: Analysis, { stopping }: Pick<DecisionSettings, 'stopping'>): number | null =>
  (stopping === 'sequential' ? analysis.sequential : analysis.fixed)?.pValue ?? null;

interface State {
  sampleRatio: SampleRatio;
  users: number;
  isPlanDone: boolean;
  progress: PlanProgress;
}

function decide(
  measured: MeasuredExperiment,
  { metric, baseline, variants }: Compared,
  variant: Compared['variants'][number],
  { sampleRatio, users, isPlanDone, progress }: State,
): VariantResult {
  const { settings, endedAt } = measured;
  const said = (verdict: Verdict, sentence: string, isSignificant = false): VariantResult => ({
    ...variant,
    verdict,
    sentence,
    isSignificant,
  });
  const obstacle = cannotMeasure(measured);
  if (obstacle !== null) return said(obstacle.verdict, obstacle.sentence);
  if (users === 0) return said('no_data', NO_DATA);
  if (sampleRatio.status === 'mismatch') return said('split_broken', SPLIT_BROKEN);
  const arms: [string, MetricData | null][] = [
    [settings.baselineKey, baseline],
    [variant.key, variant.data],
  ];
  const least = arms.find(([, own]) => own === null || !hasEnoughData(own.data));
  if (least !== undefined) return said('too_early', tooEarly(...least));
  const { pValueAdjusted: p, analysis } = variant;
  if (metric.guardrail !== null) return said(...guarded({ metric, guardrail: metric.guardrail, baseline, ...variant }));
  if (p === null) return said('cannot_calculate', cannotCalculate(analysis.failures));
  const isEnded = endedAt !== null;
  const mayDecide = settings.stopping === 'sequential' || isPlanDone;
  if (mayDecide && p <= settings.analysis.alpha) {
    if (settings.isAa) return said('setup_suspicious', `${nameOf(metric)} differs, though both see the same.`);
    const isUp = (analysis.comparison?.effect ?? 0) > 0;
    return said(isUp === metric.isLowerBetter ? 'worse' : 'better', foundSentence(variant, metric, settings), true);
  }
  if (isPlanDone || isEnded) {
    // Of this metric and variant, not of the plan's: others vary more.
    const sensitivity = sensitivityOf(settings, comparedOf([variant]), comparedOf(variants).length);
    return said('no_difference_found', noDifference(settings, sensitivity));
  }
  return said('collecting', collecting(users, settings, progress));
}

function guarded(own: GuardedVariant): [Verdict, string] {
  const margin = percent(own.guardrail.margin);
  const verdict = judgeGuardrail(own);
  if (verdict === 'too_early')
    return [
      verdict,
      `Too early to say anything: at least ${own.guardrail.minUsers} people are needed in each variant.`,
    ];
  if (verdict === 'no_harm') return [verdict, `No harm of more than ${margin} shown.`];
  const { lift } = own.analysis;
  const by = lift === null ? '' : ` by ${percent(Math.abs(lift))}`;
  const verb = (own.analysis.comparison?.effect ?? 0) > 0 ? 'raises' : 'lowers';
  return [verdict, `${own.key} ${verb} ${nameOf(own.metric)}${by}: that is harm, of more than ${margin}.`];
}

/** Of what keeps a comparison from being calculated. */
const FAILURES: Partial<Record<ValidationFailure, string>> = {
  'zero-variance': 'everybody has the same value',
  'denominator-is-zero': 'what it is divided by is 0',
  'invalid-statistic': 'the sums contradict each other, which is a fault of the server',
};

const cannotCalculate = (failures: readonly ValidationFailure[]): string =>
  `Nothing can be calculated: ${failures.map((one) => FAILURES[one] ?? one).join(', ')}.`;

function noDifference({ isAa, plan }: DecisionSettings, { powerNow, mdeNow }: Sensitivity): string {
  if (isAa) return 'No difference found, as it should be in an A/A test.';
  if (powerNow !== null && powerNow >= VERY_LIKELY)
    return `No difference found. A change above ${percent(plan.mdeRelative)} would very likely have shown.`;
  if (mdeNow === null) return 'No difference found.';
  return `No difference found. Only a change above ${percent(mdeNow)} would very likely have shown.`;
}

const NO_DATA = 'No one has seen this yet.';
const SPLIT_BROKEN = 'Do not use these numbers: the split is not as planned.';

function tooEarly(key: string, own: MetricData | null): string {
  const n = own?.data.sums.n ?? 0;
  return n >= MIN_ENTITIES
    ? `Too early to say anything: too few people in ${key} did this.`
    : `Too early to say anything: ${n} of at least ${MIN_ENTITIES} people in ${key}.`;
}

function collecting(users: number, { plan: { plannedUsers } }: DecisionSettings, { daysLeft }: PlanProgress): string {
  const seen = users.toLocaleString('en');
  const of = plannedUsers === null ? `${seen} people` : `${seen} of ${plannedUsers.toLocaleString('en')} people`;
  const left = daysLeft === null || daysLeft === 0 ? '' : `, about ${daysLeft} more ${daysLeft === 1 ? 'day' : 'days'}`;
  return `Still collecting: ${of}${left}. Differences this early are mostly noise.`;
}

function foundSentence(
  { key, analysis }: Compared['variants'][number],
  metric: ExperimentMetric,
  { stopping }: DecisionSettings,
): string {
  const interval = (stopping === 'sequential' ? analysis.sequential : analysis.fixed)?.liftInterval ?? null;
  const { lift, comparison } = analysis;
  const verb = (comparison?.effect ?? 0) > 0 ? 'raises' : 'lowers';
  if (lift === null || interval === null) return `${key} ${verb} ${nameOf(metric)}.`;
  return `${key} ${verb} ${nameOf(metric)} by ${percent(Math.abs(lift))} (${percent(interval[0])} to ${percent(interval[1])}).`;
}

const nameOf = ({ name }: ExperimentMetric): string => name || 'the metric';
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** What the primary metric of the plan says, else the first one; of several variants the one with the most to say. */
function overall(
  metrics: readonly MetricResult[],
  { status }: SampleRatio,
  users: number,
  primaryUuid: string | null,
): Said {
  if (users === 0) return { verdict: 'no_data', sentence: NO_DATA };
  if (status === 'mismatch') return { verdict: 'split_broken', sentence: SPLIT_BROKEN };
  const first = primaryOf(metrics, primaryUuid);
  const found = ORDER.flatMap((verdict) => first?.variants.filter((variant) => variant.verdict === verdict) ?? []);
  const [most] = found;
  if (most === undefined) return { verdict: 'cannot_calculate', sentence: 'There is no primary metric to decide by.' };
  return { verdict: most.verdict, sentence: most.sentence };
}

const ORDER: readonly Verdict[] = [
  'setup_suspicious',
  'better',
  'worse',
  'collecting',
  'no_difference_found',
  'too_early',
  'cannot_calculate',
];
