/** Reads the settings of an experiment: what is measured, who counts, and how it is decided. */
import type { Entity } from '../../../core/actions/entity.ts';
import { invalid } from '../../../core/errors.ts';
import type { AnalysisSettings } from '../../../core/experiments/analyse.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import { NO_FILTER } from '../../../core/filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { readEntity, requireKnownAction } from '../../insights/rules/read-entity.ts';
import { readFilter } from '../../insights/rules/read-filter.ts';
import type { ExposureQuestion, MeasuredEntity, MetricQuestion, RetentionMetric } from './experiment-question.ts';
import type { PlanInput } from './plan-experiment.ts';

/** A metric as it was sent, and what it asks. */
export interface ExperimentMetric {
  uuid: string;
  name: string;
  metricType: MetricQuestion['kind'];
  role: 'primary' | 'secondary';
  isLowerBetter: boolean;
  windowMs: number | null;
  /** Without the times that depend on the experiment. */
  asked: Asked;
}

type Asked =
  | { kind: 'mean'; measured: MeasuredEntity }
  | { kind: 'ratio'; numerator: MeasuredEntity; denominator: MeasuredEntity }
  | { kind: 'funnel'; steps: Entity[] }
  | RetentionMetric;

const MAX_METRICS = 50;
const MAX_STEPS = 15;

export function readMetrics(settings: JsonObject, context: QuestionContext): ExperimentMetric[] {
  const metrics = [
    ...listIn(settings, 'metrics').map((metric, at) => readMetric(metric, `metrics__${at}`, 'primary', context)),
    ...listIn(settings, 'metrics_secondary').map((metric, at) =>
      readMetric(metric, `metrics_secondary__${at}`, 'secondary', context),
    ),
  ];
  if (metrics.length > MAX_METRICS) throw invalid('metrics', `An experiment has at most ${MAX_METRICS} metrics.`);
  return metrics;
}

function listIn(settings: JsonObject, name: string): Json[] {
  const value = settings[name] ?? [];
  if (!Array.isArray(value)) throw invalid(name, `${name} is a list of metrics.`);
  return value;
}

function readMetric(
  given: Json,
  attr: string,
  role: ExperimentMetric['role'],
  context: QuestionContext,
): ExperimentMetric {
  if (!isJsonObject(given)) throw invalid(attr, 'A metric is an object with its metric_type.');
  for (const name of ['lower_bound_percentile', 'upper_bound_percentile', 'threshold']) {
    if ((given[name] ?? null) !== null) throw invalid(`${attr}__${name}`, `${name} is not supported here.`);
  }
  const asked = readAsked(given, attr, context);
  return {
    uuid: textOr(given['uuid'], ''),
    name: textOr(given['name'], ''),
    metricType: asked.kind,
    role,
    isLowerBetter: choice(given, 'goal', ['increase', 'decrease'], attr) === 'decrease',
    windowMs: readWindow(given, attr),
    asked,
  };
}

const textOr = (value: Json | undefined, fallback: string): string => (typeof value === 'string' ? value : fallback);

function choice<const T extends string>(
  given: JsonObject,
  name: string,
  choices: readonly [T, ...T[]],
  attr: string,
): T {
  const value = given[name] ?? choices[0];
  const found = choices.find((one) => one === value);
  if (found === undefined) throw invalid(`${attr}__${name}`, `${name} is one of ${choices.join(', ')}.`);
  return found;
}

function readAsked(given: JsonObject, attr: string, context: QuestionContext): Asked {
  switch (choice(given, 'metric_type', ['mean', 'funnel', 'ratio', 'retention'], attr)) {
    case 'mean':
      return { kind: 'mean', measured: readSource(given['source'], `${attr}__source`, context) };
    case 'ratio':
      return {
        kind: 'ratio',
        numerator: readSource(given['numerator'], `${attr}__numerator`, context),
        denominator: readSource(given['denominator'], `${attr}__denominator`, context),
      };
    case 'funnel':
      return { kind: 'funnel', steps: readSteps(given, attr, context) };
    case 'retention':
      return readRetention(given, attr, context);
  }
}

const UNITS = ['day', 'second', 'minute', 'hour', 'week', 'month'] as const;
const MAX_RETENTION_MS = 366 * DAY_MS;

function readRetention(given: JsonObject, attr: string, context: QuestionContext): RetentionMetric {
  const unit = choice(given, 'retention_window_unit', UNITS, attr);
  // A month has up to 31 days, and clocks change.
  const longest = unit === 'month' ? 31 * DAY_MS : UNIT_MS[unit];
  const range = { min: 0, max: Math.floor(MAX_RETENTION_MS / longest), attr };
  const windowStart = numberIn(given, 'retention_window_start', range) ?? 1;
  const windowEnd = numberIn(given, 'retention_window_end', range) ?? windowStart;
  if (!Number.isInteger(windowStart) || !Number.isInteger(windowEnd) || windowEnd < windowStart)
    throw invalid(
      `${attr}__retention_window_end`,
      'The retention window is two whole numbers, and ends after it starts.',
    );
  return {
    kind: 'retention',
    start: readNode(given['start_event'], `${attr}__start_event`, context),
    completion: readNode(given['completion_event'], `${attr}__completion_event`, context),
    unit,
    windowStart,
    windowEnd,
    startHandling: choice(given, 'start_handling', ['first_seen', 'last_seen'], attr),
    spanMs: (windowEnd + 1) * longest + 2 * UNIT_MS.hour,
  };
}

function readSteps(given: JsonObject, attr: string, context: QuestionContext): Entity[] {
  const series = given['series'];
  choice(given, 'funnel_order_type', ['ordered'], attr);
  if (!Array.isArray(series) || series.length === 0 || series.length > MAX_STEPS)
    throw invalid(`${attr}__series`, `A funnel has 1 to ${MAX_STEPS} steps.`);
  return series.map((step, at) => readNode(step, `${attr}__series__${at}`, context));
}

/** An event or action, as PostHog's queries write it. */
function readNode(given: Json | undefined, attr: string, context: QuestionContext): Entity {
  if (!isJsonObject(given)) throw invalid(attr, 'An event ({"kind": "EventsNode", "event": …}) or action is needed.');
  const { properties = null } = given;
  const isAction = choice(given, 'kind', ['EventsNode', 'ActionsNode'], attr) === 'ActionsNode';
  const fields = isAction
    ? { id: given['id'] ?? null, type: 'actions' }
    : { id: given['event'] ?? null, type: 'events' };
  const entity = readEntity({ ...fields, properties }, attr, context);
  requireKnownAction(entity);
  return entity;
}

function readSource(given: Json | undefined, attr: string, context: QuestionContext): MeasuredEntity {
  const entity = readNode(given, attr, context);
  const fields = isJsonObject(given) ? given : {};
  const math = choice(fields, 'math', ['total', 'sum', 'avg', 'min', 'max'], attr);
  if (math === 'total') return { entity, measure: { kind: 'count' } };
  const property = fields['math_property'];
  if (typeof property !== 'string' || property === '')
    throw invalid(`${attr}__math_property`, `${math} needs the name of a property.`);
  return { entity, measure: { kind: math, property } };
}

const UNIT_MS = {
  day: DAY_MS,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
} as const;
const MAX_WINDOW_MS = 366 * DAY_MS;

function readWindow(given: JsonObject, attr: string): number | null {
  const window = given['conversion_window'] ?? null;
  if (window === null) return null;
  const unit = choice(given, 'conversion_window_unit', UNITS, attr);
  const ms = typeof window === 'number' ? Math.round(window * UNIT_MS[unit]) : Number.NaN;
  if (ms > 0 && ms <= MAX_WINDOW_MS) return ms;
  throw invalid(`${attr}__conversion_window`, 'A conversion window is longer than nothing and at most a year.');
}

export interface DecisionSettings {
  method: 'bayesian' | 'frequentist';
  stopping: 'sequential' | 'fixed';
  correction: 'holm' | 'benjamini-hochberg' | 'none';
  baselineKey: string;
  lookbackMs: number | null;
  analysis: Omit<AnalysisSettings, 'isLowerBetter'>;
  plan: { plannedUsers: number | null; minDays: number; maxDays: number };
}

/** `stats_config` and `plan`; a number out of its range is refused, never replaced. */
export function readDecision(settings: JsonObject): DecisionSettings {
  const stats = objectIn(settings, 'stats_config');
  const plan = objectIn(settings, 'plan');
  const [bayesian, frequentist] = [objectIn(stats, 'bayesian'), objectIn(stats, 'frequentist')];
  const [cuped, prior] = [objectIn(stats, 'cuped'), objectIn(bayesian, 'prior')];
  const plannedUsers = numberIn(plan, 'planned_users', { min: 1, max: 1e9, attr: 'plan' });
  const at = 'stats_config';
  return {
    method: choice(stats, 'method', ['bayesian', 'frequentist'], at),
    stopping: choice(stats, 'stopping', ['sequential', 'fixed'], at),
    correction: choice(stats, 'correction', ['holm', 'benjamini-hochberg', 'none'], at),
    baselineKey: textOr(stats['baseline_variant_key'], 'control'),
    lookbackMs:
      cuped['enabled'] === false
        ? null
        : (numberIn(cuped, 'lookback_days', { min: 1, max: 30, attr: `${at}__cuped` }) ?? 14) * DAY_MS,
    analysis: {
      alpha: numberIn(frequentist, 'alpha', { min: 1e-6, max: 0.5, attr: `${at}__frequentist` }) ?? 0.05,
      level: numberIn(bayesian, 'ci_level', { min: 0.5, max: 0.999999, attr: `${at}__bayesian` }) ?? 0.95,
      tuningN:
        numberIn(objectIn(stats, 'sequential'), 'tuning_n', { min: 100, max: 1e9, attr: `${at}__sequential` }) ??
        plannedUsers ??
        5000,
      prior:
        prior['proper'] === true
          ? {
              mean: numberIn(prior, 'mean', { min: -10, max: 10, attr: `${at}__bayesian__prior` }) ?? 0,
              sd: numberIn(prior, 'sd', { min: 1e-6, max: 100, attr: `${at}__bayesian__prior` }) ?? 0.3,
            }
          : null,
    },
    plan: {
      plannedUsers,
      minDays: numberIn(plan, 'min_days', { min: 0, max: 365, attr: 'plan' }) ?? 7,
      maxDays: numberIn(plan, 'max_days', { min: 1, max: 365, attr: 'plan' }) ?? 60,
    },
  };
}

function objectIn(given: JsonObject, name: string): JsonObject {
  const value = given[name] ?? {};
  if (!isJsonObject(value)) throw invalid(name, `${name} is an object.`);
  return value;
}

function numberIn(given: JsonObject, name: string, range: { min: number; max: number; attr: string }): number | null {
  const value = given[name] ?? null;
  if (value === null) return null;
  if (typeof value === 'number' && value >= range.min && value <= range.max) return value;
  throw invalid(`${range.attr}__${name}`, `${name} is a number from ${range.min} to ${range.max}.`);
}

/** `plan` with the rest that a power calculation needs. */
export function readPlanInput(settings: JsonObject): Omit<PlanInput, 'comparisons'> {
  const { stopping, analysis, plan } = readDecision(settings);
  const given = objectIn(settings, 'plan');
  return {
    mdeRelative: numberIn(given, 'mde_relative', { min: 0.0001, max: 10, attr: 'plan' }) ?? 0.05,
    power: numberIn(given, 'power', { min: 0.5, max: 0.999, attr: 'plan' }) ?? 0.8,
    alpha: analysis.alpha,
    stopping,
    minDays: plan.minDays,
    maxDays: plan.maxDays,
  };
}

/** Everybody with this event, before there is a flag. */
export const readBaselineEvent = (event: string, context: QuestionContext) =>
  ({
    flagKey: '',
    event: readNode({ kind: 'EventsNode', event }, 'event', context),
    variants: ['control'],
    takesAll: true,
    actor: { kind: 'person' },
    severalVariants: 'first_seen',
    filter: readFilter(context.testAccountFilters, 'event'),
  }) as const;

interface ExposureSettings {
  event: Entity | null;
  severalVariants: ExposureQuestion['severalVariants'];
  filter: Filter;
}

/** Configurations of these events mean the default. */
const DEFAULT_EVENTS = ['$feature_flag_called', '$experiment_exposure'];

export function readExposure(settings: JsonObject, context: QuestionContext): ExposureSettings {
  const criteria = objectIn(settings, 'exposure_criteria');
  if ((criteria['activation_config'] ?? null) !== null)
    throw invalid('exposure_criteria__activation_config', 'activation_config is not supported here.');
  const config = objectIn(criteria, 'exposure_config');
  const name = config['event'] ?? null;
  const isDefault = Object.keys(config).length === 0 || (typeof name === 'string' && DEFAULT_EVENTS.includes(name));
  const node = { ...config, kind: config['kind'] === 'ActionsNode' ? 'ActionsNode' : 'EventsNode' };
  return {
    event: isDefault ? null : readNode(node, 'exposure_criteria__exposure_config', context),
    severalVariants: choice(criteria, 'multiple_variant_handling', ['exclude', 'first_seen'], 'exposure_criteria'),
    filter:
      criteria['filterTestAccounts'] === false
        ? NO_FILTER
        : readFilter(context.testAccountFilters, 'exposure_criteria'),
  };
}
