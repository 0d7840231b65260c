/** What questions are called by people. */

import type { Option } from '../../components/field.tsx';
import { sentenceOf } from '../../lib/filters.ts';
import {
  type Display,
  finished,
  type Interval,
  type Kind,
  needsProperty,
  type Question,
  type Series,
} from './question.ts';

export const KIND_WORDS: Record<Kind, { label: string; lead: string }> = {
  trends: { label: 'Trends', lead: 'How often something happens, and to how many.' },
  funnel: { label: 'Funnel', lead: 'How many go from one step to the next, and where they stop.' },
  retention: { label: 'Retention', lead: 'Who comes back, and how long after.' },
  lifecycle: { label: 'Lifecycle', lead: 'Who is new, comes again, comes back, or stays away.' },
  stickiness: { label: 'Stickiness', lead: 'On how many days, or weeks, persons do something.' },
  paths: { label: 'Paths', lead: 'Where people go from where they are.' },
};

export const MATHS: readonly Option[] = [
  { value: 'total', label: 'every time' },
  { value: 'dau', label: 'persons' },
  { value: 'weekly_active', label: 'persons in 7 days' },
  { value: 'monthly_active', label: 'persons in 30 days' },
  { value: 'unique_session', label: 'sessions' },
  { value: 'sum', label: 'sum of' },
  { value: 'avg', label: 'average of' },
  { value: 'median', label: 'median of' },
  { value: 'min', label: 'least of' },
  { value: 'max', label: 'most of' },
  { value: 'p90', label: '90th percentile of' },
  { value: 'p95', label: '95th percentile of' },
  { value: 'p99', label: '99th percentile of' },
  { value: 'avg_count_per_actor', label: 'times per person, on average' },
  { value: 'median_count_per_actor', label: 'times per person, median' },
  { value: 'max_count_per_actor', label: 'times per person, at most' },
];

export const INTERVAL_OPTIONS: readonly Option<Interval>[] = [
  { value: 'hour', label: 'hour' },
  { value: 'day', label: 'day' },
  { value: 'week', label: 'week' },
  { value: 'month', label: 'month' },
];

export const DISPLAY_OPTIONS: readonly Option<Display>[] = [
  { value: 'line', label: 'Lines' },
  { value: 'cumulative', label: 'Lines, added up' },
  { value: 'bar', label: 'Bars' },
  { value: 'values', label: 'One bar each' },
  { value: 'table', label: 'Table' },
  { value: 'number', label: 'One number' },
];

/** A, B, C: what formulas call series. */
export const letterOf = (index: number): string => String.fromCharCode(65 + (index % 26));

export const eventWord = (event: string | null): string => (event === null ? 'any event' : event === '' ? '…' : event);

const LIFECYCLE_WORDS: Record<string, string> = {
  new: 'New',
  returning: 'Returning',
  resurrecting: 'Back again',
  dormant: 'Gone quiet',
};
export const lifecycleWord = (status: string): string => LIFECYCLE_WORDS[status] ?? status;

/** A name for an insight that has none: what it asks. */
export function titleOf(question: Question): string {
  const { kind, series, breakdown, paths } = finished(question);
  const names = series.map(({ event }) => eventWord(event));
  const by = breakdown && breakdown.type !== 'cohort' ? ` by ${breakdown.key}` : '';
  switch (kind) {
    case 'trends':
      return `${series.map(seriesTitle).join(', ') || 'Trend'}${by}`;
    case 'funnel':
      return `${names.join(' → ') || 'Funnel'}${by}`;
    case 'retention':
      return names.length === 0 ? 'Retention' : `${names[0]}, then ${names[1] ?? names[0]} again`;
    case 'lifecycle':
      return `Lifecycle of ${names[0] ?? '…'}`;
    case 'stickiness':
      return `Stickiness of ${names.join(', ') || '…'}`;
    case 'paths':
      return paths.start === '' ? (paths.end === '' ? 'Paths' : `Paths to ${paths.end}`) : `Paths from ${paths.start}`;
  }
}

export function seriesTitle({ event, math, mathProperty, filters }: Series): string {
  const word = MATHS.find(({ value }) => value === math)?.label ?? math;
  const counted = math === 'total' ? '' : needsProperty(math) ? ` (${word} ${mathProperty})` : ` (${word})`;
  const where = filters.length === 0 ? '' : ` where ${filters.map(sentenceOf).join(' and ')}`;
  return eventWord(event) + counted + where;
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d:\d\d))?/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2024-01-31 05:00:00`, which is in the project's zone already, as '31 Jan 05:00'; anything else as it is. */
export function tickWord(day: string | number, interval: Interval): string {
  const [, year, month, date, time] = DAY.exec(String(day)) ?? [];
  if (!month) return String(day);
  const name = MONTHS[Number(month) - 1] ?? month;
  if (interval === 'month') return `${name} ${year}`;
  return `${Number(date)} ${name}${interval === 'hour' && time ? ` ${time}` : ''}`;
}
