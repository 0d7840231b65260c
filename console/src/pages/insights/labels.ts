/** Labels of insights. */
import type { Option } from '../../components/field.tsx';
import { describeFilter } from '../../lib/filters.ts';
import { eventLabel, propertyLabel } from '../../lib/friendly-names.ts';
import {
  type Display,
  type FunnelOptions,
  finished,
  type Interval,
  type Kind,
  needsProperty,
  type Question,
  type Series,
} from './question.ts';

export const KIND_LABELS: Record<Kind, { label: string; lead: string }> = {
  trends: { label: 'Trends', lead: 'Event counts and unique users over time.' },
  funnel: { label: 'Funnel', lead: 'Conversion through a series of steps, and where users drop off.' },
  retention: { label: 'Retention', lead: 'How many users return in the following periods.' },
  lifecycle: { label: 'Lifecycle', lead: 'New, returning, resurrecting and dormant users.' },
  stickiness: { label: 'Stickiness', lead: 'How many days or weeks users perform an event.' },
  paths: { label: 'User paths', lead: 'How users move between pages and events.' },
};

export const MATH_OPTIONS: readonly Option[] = [
  { value: 'total', label: 'Total count' },
  { value: 'dau', label: 'Unique users' },
  { value: 'weekly_active', label: 'Weekly active users' },
  { value: 'monthly_active', label: 'Monthly active users' },
  { value: 'unique_session', label: 'Unique sessions' },
  { value: 'sum', label: 'Property value sum' },
  { value: 'avg', label: 'Property value average' },
  { value: 'median', label: 'Property value median' },
  { value: 'min', label: 'Property value minimum' },
  { value: 'max', label: 'Property value maximum' },
  { value: 'p90', label: 'Property value 90th percentile' },
  { value: 'p95', label: 'Property value 95th percentile' },
  { value: 'p99', label: 'Property value 99th percentile' },
  { value: 'avg_count_per_actor', label: 'Count per user average' },
  { value: 'median_count_per_actor', label: 'Count per user median' },
  { value: 'max_count_per_actor', label: 'Count per user maximum' },
];

export const INTERVAL_OPTIONS: readonly Option<Interval>[] = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
];

export const DISPLAY_OPTIONS: readonly Option<Display>[] = [
  { value: 'line', label: 'Line chart' },
  { value: 'cumulative', label: 'Line chart (cumulative)' },
  { value: 'bar', label: 'Bar chart' },
  { value: 'values', label: 'Bar chart (total value)' },
  { value: 'table', label: 'Table' },
  { value: 'number', label: 'Number' },
];

export const FUNNEL_VIEW_OPTIONS: readonly Option<FunnelOptions['view']>[] = [
  { value: 'steps', label: 'Conversion steps' },
  { value: 'trends', label: 'Historical trends' },
  { value: 'time_to_convert', label: 'Time to convert' },
];

/** A, B, C: the names of series in formulas. */
export const letterOf = (index: number): string => String.fromCharCode(65 + (index % 26));

export const eventName = (event: string | null): string =>
  event === null ? 'All events' : event === '' ? '…' : eventLabel(event);

/** The event or action of a series. */
export const entityName = ({ event, action }: Pick<Series, 'event' | 'action'>): string =>
  action?.name ?? eventName(event);

const LIFECYCLE_LABELS: Record<string, string> = {
  new: 'New',
  returning: 'Returning',
  resurrecting: 'Resurrecting',
  dormant: 'Dormant',
};
export const lifecycleLabel = (status: string): string => LIFECYCLE_LABELS[status] ?? status;

/** The default name of an insight. */
export function titleOf(question: Question): string {
  const { kind, series, breakdown, paths } = finished(question);
  const names = series.map(entityName);
  const by = breakdown && breakdown.type !== 'cohort' ? ` by ${propertyLabel(breakdown.key)}` : '';
  switch (kind) {
    case 'trends':
      return `${series.map(seriesTitle).join(', ') || 'Trend'}${by}`;
    case 'funnel':
      return `${names.join(' → ') || 'Funnel'}${by}`;
    case 'retention':
      return names.length === 0 ? 'Retention' : `Retention of ${names[0]} → ${names[1] ?? names[0]}`;
    case 'lifecycle':
      return `Lifecycle of ${names[0] ?? '…'}`;
    case 'stickiness':
      return `Stickiness of ${names.join(', ') || '…'}`;
    case 'paths':
      return paths.start === ''
        ? paths.end === ''
          ? 'User paths'
          : `User paths to ${paths.end}`
        : `User paths from ${paths.start}`;
  }
}

function seriesTitle(series: Series): string {
  const { math, mathProperty, filters } = series;
  const label = (MATH_OPTIONS.find(({ value }) => value === math)?.label ?? math).toLowerCase();
  const property = needsProperty(math) ? ` of ${propertyLabel(mathProperty)}` : '';
  const measure = math === 'total' ? '' : ` (${label}${property})`;
  const where = filters.length === 0 ? '' : ` where ${filters.map((one) => describeFilter(one)).join(' and ')}`;
  return entityName(series) + measure + where;
}
