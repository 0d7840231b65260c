/** Automatic rollback conditions. */
import { eventLabel } from '../../../lib/friendly-names.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { isObject, type JsonObject, objectsIn } from './filters.ts';

export type Rollback = JsonObject;

/** What the field has, conditions and anything else that an API client put there. */
export const rollbackEntries = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) && Object.keys(value).length > 0 ? [value] : [];
};

/** Whether it is a condition that the server checks. */
export const isRollback = (entry: unknown): entry is Rollback =>
  isObject(entry) && (isObject(entry['threshold_metric']) || entry['threshold_type'] === 'sentry');

export const rollbacksOf = (value: unknown): Rollback[] => rollbackEntries(value).filter(isRollback);

export const ROLLBACK_OPERATORS = [
  { value: 'gt', label: 'More than' },
  { value: 'gte', label: 'At least' },
  { value: 'lt', label: 'Less than' },
  { value: 'lte', label: 'At most' },
] as const;

export const WINDOWS = [
  { value: '5m', label: '5 minutes' },
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '6h', label: '6 hours' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
];

export const newRollback = (): Rollback => ({
  threshold: 100,
  operator: 'gt',
  threshold_metric: { event: '', math: 'total', window: '1h' },
});

/** The form `{event, math, window}`, which the console can edit; null for any other. */
export function metricOf({ threshold_metric: metric, threshold_type: type = 'insight' }: Rollback): JsonObject | null {
  if (type !== 'insight' || !isObject(metric) || typeof metric['event'] !== 'string') return null;
  const isShort = !('events' in metric || 'insight' in metric || 'actions' in metric || 'window_minutes' in metric);
  return isShort ? metric : null;
}

export const windowOf = (metric: JsonObject): string =>
  typeof metric['window'] === 'string' ? metric['window'] : '1h';

/** 'Exception happens more than 100 times within 1 hour' */
export function describeRollback(rollback: Rollback): string {
  const { threshold, operator } = rollback;
  const comparison = (
    ROLLBACK_OPERATORS.find(({ value }) => value === operator)?.label ?? String(operator)
  ).toLowerCase();
  const number = typeof threshold === 'number' ? formatNumber(threshold) : String(threshold);
  const metric = metricOf(rollback);
  if (metric !== null) {
    const window = WINDOWS.find(({ value }) => value === windowOf(metric))?.label ?? windowOf(metric);
    const event = metric['event'] === '' ? '…' : eventLabel(String(metric['event']));
    const counted =
      metric['math'] === 'unique_persons'
        ? `for ${comparison} ${number} unique users`
        : `${comparison} ${number} times`;
    const filters = objectsIn(metric['properties']).length > 0 ? ' (with filters)' : '';
    return `${event}${filters} happens ${counted} within ${window}`;
  }
  if (rollback['threshold_type'] === 'sentry') {
    return `daily exceptions are ${comparison} ${number} times those of the day before the flag was enabled`;
  }
  return `the daily average of an insight is ${comparison} ${number}`;
}

export function rollbackProblem(rollback: Rollback): string | null {
  if (metricOf(rollback)?.['event'] === '') return 'Automatic rollback: select an event.';
  return typeof rollback['threshold'] === 'number' || typeof rollback['threshold'] === 'string'
    ? null
    : 'Automatic rollback: enter a threshold.';
}
