/** Conditions under which a flag switches itself off: read, changed, and said in words. */
import { formatNumber } from '../../../lib/format.ts';
import { isObject, type JsonObject, objectsIn } from './filters.ts';

export type Rollback = JsonObject;

/** A list, one alone, or none. */
export const rollbacksOf = (value: unknown): Rollback[] => {
  if (Array.isArray(value)) return objectsIn(value);
  return isObject(value) && Object.keys(value).length > 0 ? [value] : [];
};

export const ROLLBACK_OPERATORS = [
  { value: 'gt', label: 'more than' },
  { value: 'gte', label: 'at least' },
  { value: 'lt', label: 'less than' },
  { value: 'lte', label: 'at most' },
] as const;

export const WINDOWS = [
  { value: '5m', label: '5 minutes' },
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: 'hour' },
  { value: '6h', label: '6 hours' },
  { value: '1d', label: 'day' },
  { value: '7d', label: '7 days' },
];

export const newRollback = (): Rollback => ({
  threshold: 100,
  operator: 'gt',
  threshold_metric: { event: '', math: 'total', window: '1h' },
});

/** The short form `{event, math, window}`, which the console can edit; null for any other, which it keeps. */
export function metricOf({ threshold_metric: metric, threshold_type: type = 'insight' }: Rollback): JsonObject | null {
  if (type !== 'insight' || !isObject(metric) || typeof metric['event'] !== 'string') return null;
  const isShort = !('events' in metric || 'insight' in metric || 'actions' in metric || 'window_minutes' in metric);
  return isShort ? metric : null;
}

export const windowOf = (metric: JsonObject): string =>
  typeof metric['window'] === 'string' ? metric['window'] : '1h';

/** '$exception is sent more than 100 times within the last hour' */
export function rollbackWords(rollback: Rollback): string {
  const { threshold, operator } = rollback;
  const word = ROLLBACK_OPERATORS.find(({ value }) => value === operator)?.label ?? String(operator);
  const number = typeof threshold === 'number' ? formatNumber(threshold) : String(threshold);
  const metric = metricOf(rollback);
  if (metric !== null) {
    const window = WINDOWS.find(({ value }) => value === windowOf(metric))?.label ?? windowOf(metric);
    const event = metric['event'] === '' ? '…' : String(metric['event']);
    const isPersons = metric['math'] === 'unique_persons';
    const filters = objectsIn(metric['properties']).length > 0 ? ' (with filters)' : '';
    return `${event}${filters} is sent ${isPersons ? `by ${word} ${number} persons` : `${word} ${number} times`} within the last ${window}`;
  }
  if (rollback['threshold_type'] === 'sentry') {
    return `exceptions of a day are ${word} ${number} times those of the day before it was switched on`;
  }
  return `the daily average of an insight is ${word} ${number}`;
}

/** What is missing before it can be measured; null where nothing is. */
export function rollbackProblem(rollback: Rollback): string | null {
  if (metricOf(rollback)?.['event'] === '') return 'Name the event that is counted.';
  return typeof rollback['threshold'] === 'number' || typeof rollback['threshold'] === 'string'
    ? null
    : 'Give the number that it is compared with.';
}
