/**
 * Conditions under which a flag turns itself off: a metric over the project's events is compared with a threshold. A
 * condition is `{threshold, operator, threshold_type?, threshold_metric}`, and its metric has one of two forms:
 *
 * - short: `{event, math?, properties?, window? | window_minutes?}`, the number in the window (default: an hour);
 * - a trends insight with one series, `{events: [{id, math?, properties?}], properties?}`: the daily average over seven
 *   days.
 *
 * With `threshold_type` `sentry` there is no metric: the exceptions of the last day, as sent by Sentry's integration,
 * are compared with `threshold` times those of the day before the flag was turned on.
 *
 * A condition that cannot be measured is refused: one that silently never fires is worse than none. The field itself is
 * free-form: objects and lists without conditions of this form are kept for the clients that wrote them.
 */
import { Failure, invalid } from '../../../../core/errors.ts';
import { readFilters } from '../../../../core/filters/parse-filters.ts';
import { type Filter, isFilterOperator, NO_FILTER } from '../../../../core/filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/time/units.ts';
import { pythonText } from './filter-errors.ts';

const ROLLBACK_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const;
type RollbackOperator = (typeof ROLLBACK_OPERATORS)[number];

export interface RollbackMetric {
  /** Null: any event. */
  event: string | null;
  /** Events, persons with at least one, or persons per day. */
  counts: 'events' | 'persons' | 'persons by day';
  filter: Filter;
  windowMs: number;
  /** The days of an average, else 1. */
  divisor: number;
}

export interface RollbackCondition {
  threshold: number;
  operator: RollbackOperator;
  metric: RollbackMetric;
  /** True: the threshold is a multiple of the metric in the window before the flag was turned on. */
  isRelative: boolean;
  /** As it was sent, for the activity log. */
  source: JsonObject;
}

const AVERAGE_DAYS = 7;
const MAX_WINDOW_MS = 31 * DAY_MS;
const MAX_CONDITIONS = 20;

const refuse = (detail: string): Failure => invalid('rollback_conditions', detail);

/** The conditions in a list, or a single one. */
export function readRollbackConditions(value: Json): RollbackCondition[] {
  if (typeof value !== 'object') throw refuse('Rollback conditions are an object or a list.');
  const conditions = (Array.isArray(value) ? value : [value]).filter(isCondition);
  if (conditions.length > MAX_CONDITIONS) throw refuse(`A flag takes up to ${MAX_CONDITIONS} rollback conditions.`);
  return conditions.map(readCondition);
}

/** Whether an item is meant as a condition: it names a metric. */
const isCondition = (item: Json): item is JsonObject =>
  isJsonObject(item) && (isJsonObject(item['threshold_metric']) || item['threshold_type'] === 'sentry');

function readCondition(source: JsonObject): RollbackCondition {
  const { threshold_type: type = 'insight', threshold_metric: metric } = source;
  const threshold = readThreshold(source['threshold']);
  const operator = ROLLBACK_OPERATORS.find((one) => one === source['operator']);
  if (operator === undefined) {
    throw refuse(
      `The operator of a rollback condition is one of ${ROLLBACK_OPERATORS.join(', ')}, got ${pythonText(source['operator'])}.`,
    );
  }
  if (type === 'sentry') return { threshold, operator, metric: EXCEPTIONS, isRelative: true, source };
  if (type !== 'insight') throw refuse(`threshold_type is 'insight' or 'sentry', got ${pythonText(type)}.`);
  if (!isJsonObject(metric))
    throw refuse('A rollback condition needs a threshold_metric: {"event": "…", "window": "1h"}.');
  return { threshold, operator, metric: readMetric(metric), isRelative: false, source };
}

const EXCEPTIONS: RollbackMetric = {
  event: '$exception',
  counts: 'events',
  filter: NO_FILTER,
  windowMs: DAY_MS,
  divisor: 1,
};

function readThreshold(value: Json | undefined): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw refuse(`The threshold of a rollback condition is a number, got ${pythonText(value)}.`);
}

const readMetric = (metric: JsonObject): RollbackMetric =>
  'events' in metric || 'insight' in metric || 'actions' in metric
    ? readInsightMetric(metric)
    : readShortMetric(metric);

function readShortMetric(metric: JsonObject): RollbackMetric {
  const { event, math = 'total' } = metric;
  if (typeof event !== 'string' || event === '') {
    throw refuse('threshold_metric needs the name of an event as `event`, or an insight with `events`.');
  }
  if (math !== 'total' && math !== 'unique_persons') {
    throw refuse(`math is 'total' or 'unique_persons', got ${pythonText(math)}.`);
  }
  const counts = math === 'total' ? 'events' : 'persons';
  return { event, counts, filter: readProperties([metric['properties']]), windowMs: readWindow(metric), divisor: 1 };
}

/** Other fields of the insight affect how it is shown, not what is counted. */
function readInsightMetric(metric: JsonObject): RollbackMetric {
  const { insight = 'trends', events, properties } = metric;
  if (typeof insight !== 'string' || insight.toLowerCase() !== 'trends') {
    throw refuse(`Rollback conditions measure trends, not ${pythonText(insight)}.`);
  }
  for (const name of ['actions', 'breakdown', 'breakdowns', 'formula', 'filter_test_accounts']) {
    if (isFilled(metric[name])) throw refuse(`threshold_metric.${name} cannot be measured in a rollback condition.`);
  }
  const [series, ...more] = Array.isArray(events) ? events : [];
  if (!isJsonObject(series) || more.length > 0) throw refuse('threshold_metric.events must hold exactly one event.');
  const { id, math = null } = series;
  if (id !== null && (typeof id !== 'string' || id === '')) {
    throw refuse(`The id of an event is its name, or null for all events, got ${pythonText(id)}.`);
  }
  if (math !== null && math !== 'total' && math !== 'dau') {
    throw refuse(`math is 'total' or 'dau', got ${pythonText(math)}.`);
  }
  const filter = readProperties([series['properties'], properties]);
  const counts = math === 'dau' ? 'persons by day' : 'events';
  return { event: id, counts, filter, windowMs: AVERAGE_DAYS * DAY_MS, divisor: AVERAGE_DAYS };
}

const isFilled = (value: Json | undefined): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** `window: "90m"`, `"1h"`, `"7d"`, or `window_minutes: 90`. */
function readWindow({ window = null, window_minutes: minutes = null }: JsonObject): number {
  if (window === null && minutes === null) return HOUR_MS;
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(String(window)) ?? [];
  const ms = window === null ? Number(minutes) * MINUTE_MS : Number(count) * (UNITS[unit] ?? Number.NaN);
  if (ms >= MINUTE_MS && ms <= MAX_WINDOW_MS) return ms;
  const sent = pythonText(window ?? minutes);
  throw refuse(`A window is a time from a minute to 31 days, such as "90m", "1h" or "7d", got ${sent}.`);
}

/** All filters on event and person properties; unlike in insights, an invalid one is an error. */
function readProperties(values: readonly (Json | undefined)[]): Filter {
  const filters = values.filter(isFilled).map((value) => {
    checkItems(value ?? null);
    try {
      return readFilters(value);
    } catch (error) {
      throw error instanceof Failure ? refuse(error.message) : error;
    }
  });
  return { kind: 'and', filters };
}

function checkItems(value: Json): void {
  const items = isJsonObject(value) ? value['values'] : value;
  if (!Array.isArray(items)) throw refuse('Properties of a threshold_metric are a list of filters.');
  for (const item of items) {
    if (isJsonObject(item) && 'values' in item) checkItems(item);
    else checkItem(item);
  }
}

function checkItem(item: Json): void {
  const { key, type = 'event', operator: given = null, value = null } = isJsonObject(item) ? item : {};
  if (type !== 'event' && type !== 'person') {
    throw refuse(`Rollback conditions look at properties of events and persons, not at type ${pythonText(type)}.`);
  }
  const operator = given ?? 'exact';
  if (typeof key !== 'string' || !isFilterOperator(operator)) {
    throw refuse(`This is no filter on a property: ${pythonText(item)}.`);
  }
  if (value === null && operator !== 'is_set' && operator !== 'is_not_set') {
    throw refuse(`The filter on '${pythonText(key)}' has nothing to compare with.`);
  }
}
