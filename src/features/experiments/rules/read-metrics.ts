/** Reads the metrics of an experiment: what is measured, and what must not be harmed. */
import type { Entity } from '../../../core/actions/entity.ts';
import { invalid } from '../../../core/errors.ts';
import type { WinsorLevels } from '../../../core/experiments/winsorise.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import { readEntity, requireKnownAction } from '../../insights/rules/read-entity.ts';
import type { FunnelOrder, MeasuredEntity, MetricQuestion, RetentionMetric } from './experiment-question.ts';
import { choice, listIn, numberIn, textOr } from './read-fields.ts';

/** A metric as it was sent, and what it asks. */
export interface ExperimentMetric {
  uuid: string;
  name: string;
  metricType: MetricQuestion['kind'];
  role: 'primary' | 'secondary' | 'guardrail';
  isLowerBetter: boolean;
  windowMs: number | null;
  /** Where extreme values are moved to a bound. */
  winsor: WinsorLevels | null;
  /** Of a guardrail: what happens if a variant harms it. */
  guardrail: Guardrail | null;
  /** Without the times that depend on the experiment. */
  asked: Asked;
}

export interface Guardrail {
  /** Less harm than this, as a share of the baseline, is put up with. */
  margin: number;
  action: 'notify' | 'pause' | 'roll_back';
  /** In each variant. */
  minUsers: number;
}

type Asked =
  | { kind: 'mean'; measured: MeasuredEntity; threshold: number | null }
  | { kind: 'ratio'; numerator: MeasuredEntity; denominator: MeasuredEntity }
  | { kind: 'funnel'; steps: Entity[]; order: FunnelOrder }
  | RetentionMetric;

const MAX_METRICS = 50;
const MAX_STEPS = 15;

/** The fields of settings that hold metrics. */
export const METRIC_LISTS = ['metrics', 'metrics_secondary', 'guardrails'] as const;
const ROLES = { metrics: 'primary', metrics_secondary: 'secondary' } as const;

export function readMetrics(settings: JsonObject, context: QuestionContext): ExperimentMetric[] {
  const metrics = METRIC_LISTS.flatMap((name) =>
    listIn(settings, name).map((given, at) => readListedMetric(settings, name, given, at, context)),
  );
  if (metrics.length > MAX_METRICS) throw invalid('metrics', `An experiment has at most ${MAX_METRICS} metrics.`);
  return metrics;
}

/** One metric of a list of these settings. */
export function readListedMetric(
  settings: JsonObject,
  name: (typeof METRIC_LISTS)[number],
  given: Json,
  at: number,
  context: QuestionContext,
): ExperimentMetric {
  const attr = `${name}__${at}`;
  return name === 'guardrails'
    ? readGuardrail(given, attr, settings, context)
    : readMetric(given, attr, ROLES[name], context);
}

function readMetric(
  given: Json,
  attr: string,
  role: ExperimentMetric['role'],
  context: QuestionContext,
): ExperimentMetric {
  if (!isJsonObject(given)) throw invalid(attr, 'A metric is an object with its metric_type.');
  const asked = readAsked(given, attr, context);
  return {
    uuid: textOr(given['uuid'], ''),
    name: textOr(given['name'], ''),
    metricType: asked.kind,
    role,
    isLowerBetter: choice(given, 'goal', ['increase', 'decrease'], attr) === 'decrease',
    windowMs: readWindow(given, attr),
    winsor: readWinsor(given, attr, asked),
    guardrail: null,
    asked,
  };
}

/** With a metric of its own, or the uuid of another one. */
function readGuardrail(given: Json, attr: string, settings: JsonObject, context: QuestionContext): ExperimentMetric {
  if (!isJsonObject(given)) throw invalid(attr, 'A guardrail is an object with a metric or metric_uuid.');
  const source = given['metric'] ?? findMetric(settings, given['metric_uuid']);
  if (source === null)
    throw invalid(`${attr}__metric_uuid`, 'A guardrail needs a metric, or the metric_uuid of one of this experiment.');
  const metric = readMetric(source, `${attr}__metric`, 'guardrail', context);
  return {
    ...metric,
    uuid: textOr(given['uuid'], ''),
    guardrail: {
      margin: numberIn(given, 'margin_relative', { min: 0, max: 10, attr }) ?? 0.02,
      action: choice(given, 'action', ['notify', 'pause', 'roll_back'], attr),
      minUsers: numberIn(given, 'min_users', { min: 0, max: 1e9, attr }) ?? 200,
    },
  };
}

const findMetric = (settings: JsonObject, uuid: Json | undefined): Json =>
  [...listIn(settings, 'metrics'), ...listIn(settings, 'metrics_secondary')].find(
    (metric) => isJsonObject(metric) && metric['uuid'] !== undefined && metric['uuid'] === uuid,
  ) ?? null;

/** Shares between 0 and 1; only of values that can be extreme. */
function readWinsor(given: JsonObject, attr: string, asked: Asked): WinsorLevels | null {
  const range = { min: 0, max: 1, attr };
  const lower = numberIn(given, 'lower_bound_percentile', range);
  const upper = numberIn(given, 'upper_bound_percentile', range);
  if (lower === null && upper === null) return null;
  if (asked.kind !== 'mean' || asked.threshold !== null)
    throw invalid(attr, 'Only the values of a mean without a threshold can be moved to a percentile.');
  if ((lower ?? 0) > (upper ?? 1))
    throw invalid(`${attr}__upper_bound_percentile`, 'upper_bound_percentile is above lower_bound_percentile.');
  return { lower, upper, ignoreZeros: given['ignore_zeros'] === true };
}

function readAsked(given: JsonObject, attr: string, context: QuestionContext): Asked {
  switch (choice(given, 'metric_type', ['mean', 'funnel', 'ratio', 'retention'], attr)) {
    case 'mean': {
      const measured = readSource(given['source'], `${attr}__source`, context);
      return { kind: 'mean', measured, threshold: readThreshold(given, attr, measured) };
    }
    case 'ratio':
      return {
        kind: 'ratio',
        numerator: readSource(given['numerator'], `${attr}__numerator`, context),
        denominator: readSource(given['denominator'], `${attr}__denominator`, context),
      };
    case 'funnel':
      return {
        kind: 'funnel',
        steps: readSteps(given, attr, context),
        order: choice(given, 'funnel_order_type', ['ordered', 'strict', 'unordered'], attr),
      };
    case 'retention':
      return readRetention(given, attr, context);
  }
}

/** Whoever has at least this is counted; only of values that grow with every event. */
function readThreshold(given: JsonObject, attr: string, { measure }: MeasuredEntity): number | null {
  if ((given['threshold'] ?? null) === null) return null;
  const threshold = numberIn(given, 'threshold', { min: 0, max: 1e15, attr });
  if (threshold === 0) throw invalid(`${attr}__threshold`, 'Everybody reaches a threshold of 0: send a larger number.');
  if (measure.kind !== 'count' && measure.kind !== 'sum')
    throw invalid(`${attr}__threshold`, 'A threshold needs the math "total" or "sum".');
  return threshold;
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
  if (!Array.isArray(series) || series.length === 0 || series.length > MAX_STEPS)
    throw invalid(`${attr}__series`, `A funnel has 1 to ${MAX_STEPS} steps.`);
  return series.map((step, at) => readNode(step, `${attr}__series__${at}`, context));
}

/** An event or action, as PostHog's queries write it. */
export function readNode(given: Json | undefined, attr: string, context: QuestionContext): Entity {
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
  const math = choice(fields, 'math', MATHS, attr);
  switch (math) {
    case 'total':
      return { entity, measure: { kind: 'count' } };
    case 'unique_session':
      return { entity, measure: { kind: 'unique', of: 'session' } };
    case 'dau':
      return { entity, measure: { kind: 'unique', of: { kind: 'person' } } };
    case 'unique_group': {
      const index = numberIn(fields, 'math_group_type_index', { min: 0, max: 4, attr }) ?? 0;
      return { entity, measure: { kind: 'unique', of: { kind: 'group', index: Math.floor(index) } } };
    }
  }
  const property = fields['math_property'];
  if (typeof property !== 'string' || property === '')
    throw invalid(`${attr}__math_property`, `${math} needs the name of a property.`);
  return { entity, measure: { kind: math, property } };
}

const MATHS = ['total', 'sum', 'avg', 'min', 'max', 'unique_session', 'dau', 'unique_group'] as const;

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
