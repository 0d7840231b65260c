/**
 * The query of an insight: as the form edits it, as the fields of the API, which are also saved, and as the same fields
 * in a URL. `rest` keeps fields without a control, so that saving an insight made through the API loses nothing.
 */
import type { DateRangeValue } from '../../components/date-range.tsx';
import { isComplete, type PropertyFilter } from '../../lib/filters.ts';

export const KINDS = ['trends', 'funnel', 'retention', 'lifecycle', 'stickiness', 'paths'] as const;
export type Kind = (typeof KINDS)[number];
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];
export const DISPLAYS = ['line', 'cumulative', 'bar', 'table', 'values', 'number'] as const;
export type Display = (typeof DISPLAYS)[number];

/** A series of a trend, or a step of a funnel. */
export interface Series {
  /** '' if none is selected yet; null for all events. */
  event: string | null;
  math: string;
  /** For sums, averages and the like. */
  mathProperty: string;
  filters: readonly PropertyFilter[];
}

export type Breakdown =
  | { type: 'event' | 'person'; key: string }
  /** Compared with all users. */
  | { type: 'cohort'; key: string };

export interface Question {
  kind: Kind;
  /** Retention: the start event and the return event. */
  series: readonly Series[];
  filters: readonly PropertyFilter[];
  breakdown: Breakdown | null;
  range: DateRangeValue;
  interval: Interval;
  display: Display;
  compare: boolean;
  withoutTestAccounts: boolean;
  formula: string;
  funnel: FunnelOptions;
  retention: RetentionOptions;
  paths: PathOptions;
  rest: Fields;
}

export interface FunnelOptions {
  view: 'steps' | 'trends' | 'time_to_convert';
  order: 'ordered' | 'strict' | 'unordered';
  window: number;
  unit: (typeof WINDOW_UNITS)[number];
}
export interface RetentionOptions {
  period: (typeof PERIODS)[number];
  count: number;
  isFirstTime: boolean;
}
export interface PathOptions {
  types: readonly PathType[];
  start: string;
  end: string;
  steps: number;
}

export const WINDOW_UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export const PERIODS = ['Hour', 'Day', 'Week', 'Month'] as const;
export const PATH_TYPES = ['$pageview', '$screen', 'custom_event'] as const;
type PathType = (typeof PATH_TYPES)[number];

export type Fields = Readonly<Record<string, unknown>>;

export const NAMES: Record<Kind, string> = {
  trends: 'TRENDS',
  funnel: 'FUNNELS',
  retention: 'RETENTION',
  lifecycle: 'LIFECYCLE',
  stickiness: 'STICKINESS',
  paths: 'PATHS',
};
export const DISPLAY_NAMES: Record<Display, string> = {
  line: 'ActionsLineGraph',
  cumulative: 'ActionsLineGraphCumulative',
  bar: 'ActionsBar',
  table: 'ActionsTable',
  values: 'ActionsBarValue',
  number: 'BoldNumber',
};

export const newSeries = (event: string | null = ''): Series => ({
  event,
  math: 'total',
  mathProperty: '',
  filters: [],
});

const DEFAULTS = {
  range: { from: '-7d', to: null },
  interval: 'day',
  display: 'line',
  funnel: { view: 'steps', order: 'ordered', window: 14, unit: 'day' },
  retention: { period: 'Day', count: 11, isFirstTime: false },
  paths: { types: [], start: '', end: '', steps: 5 },
} as const;

export function newQuestion(kind: Kind = 'trends'): Question {
  const series = { trends: [newSeries()], funnel: [newSeries(), newSeries()], paths: [] } as Record<string, Series[]>;
  return {
    kind,
    series: series[kind] ?? (kind === 'retention' ? [newSeries(), newSeries()] : [newSeries()]),
    filters: [],
    breakdown: null,
    compare: false,
    withoutTestAccounts: false,
    formula: '',
    rest: {},
    ...DEFAULTS,
  };
}

/** Keeps events, filters, dates and breakdown as far as the new type allows. */
export function withKind(question: Question, kind: Kind): Question {
  const minSeries = kind === 'funnel' || kind === 'retention' ? 2 : kind === 'paths' ? 0 : 1;
  const maxSeries = kind === 'retention' ? 2 : kind === 'lifecycle' ? 1 : Number.POSITIVE_INFINITY;
  const kept = question.series.slice(0, maxSeries);
  const missing = Array.from({ length: Math.max(0, minSeries - kept.length) }, () => newSeries());
  return { ...question, kind, series: [...kept, ...missing], rest: {} };
}

/** What a query of this type does not hold, from the query before it: nothing is lost between types and views. */
export function withHidden(question: Question, before: Question): Question {
  const { kind } = question;
  const [trends, range] = [kind === 'trends' ? question : before, kind === 'retention' ? before.range : question.range];
  return {
    ...question,
    series: hiddenSeries(question, before),
    breakdown: (hasBreakdown(question) ? question : before).breakdown,
    interval: (hasInterval(question) ? question : before).interval,
    compare: (hasCompare(question) ? question : before).compare,
    display: trends.display,
    formula: trends.formula,
    range: { ...range, to: question.range.to },
    funnel: (kind === 'funnel' ? question : before).funnel,
    retention: (kind === 'retention' ? question : before).retention,
    paths: (kind === 'paths' ? question : before).paths,
  };
}

/** Paths have no events, and those of retention neither filters nor math. */
function hiddenSeries({ kind, series }: Question, before: Question): readonly Series[] {
  if (kind === 'paths') return before.series;
  if (kind !== 'retention') return series;
  return series.map((one, at) => (before.series[at]?.event === one.event ? (before.series[at] ?? one) : one));
}

export const hasBreakdown = ({ kind, funnel }: Question): boolean =>
  kind === 'trends' || kind === 'retention' || (kind === 'funnel' && funnel.view !== 'time_to_convert');
export const hasInterval = ({ kind, funnel, display }: Question): boolean =>
  kind === 'trends'
    ? !isTotal(display)
    : kind === 'lifecycle' || kind === 'stickiness' || (kind === 'funnel' && funnel.view === 'trends');
export const hasCompare = ({ kind, formula }: Question): boolean =>
  (kind === 'trends' && formula === '') || kind === 'stickiness';
/** One number for the whole date range, rather than one per interval. */
export const isTotal = (display: Display): boolean => ['table', 'values', 'number'].includes(display);
export const needsProperty = (math: string): boolean => /^(?:sum|avg|min|max|median|p9[059])$/.test(math);

/** Without incomplete parts. */
export const finished = (question: Question): Question => ({
  ...question,
  filters: question.filters.filter(isComplete),
  series: question.series.filter(isCompleteSeries).map((one) => ({ ...one, filters: one.filters.filter(isComplete) })),
  breakdown: question.breakdown === null || question.breakdown.key === '' ? null : question.breakdown,
});

const isCompleteSeries = ({ event, math, mathProperty }: Series): boolean =>
  event !== '' && (!needsProperty(math) || mathProperty !== '');

export function missingFrom(question: Question): string | null {
  const { kind, series, rest } = finished(question);
  if (rest['actions'] !== undefined || kind === 'paths') return null;
  if (kind === 'funnel' && series.length < 2) return 'Select an event for at least two steps.';
  if (series.length === 0) return 'Select an event.';
  return null;
}

/** All fields with a control; the others are `rest`. */
export const OWN_FIELDS = new Set(
  'insight events properties breakdown breakdown_type date_from date_to interval display compare filter_test_accounts formula funnel_viz_type funnel_order_type funnel_window_interval funnel_window_interval_unit period total_intervals retention_type target_entity returning_entity include_event_types start_point end_point step_limit'.split(
    ' ',
  ),
);

export function toFields(question: Question): Fields {
  const { kind, filters, breakdown, range, rest } = question;
  return {
    ...rest,
    insight: NAMES[kind],
    ...(kind === 'retention' ? retentionFields(question) : { date_from: range.from }),
    ...(kind === 'paths' ? pathFields(question) : {}),
    ...(range.to === null ? {} : { date_to: range.to }),
    ...(kind === 'paths' || kind === 'retention' ? {} : { events: question.series.map(eventOf) }),
    ...(filters.length === 0 ? {} : { properties: filters }),
    ...(breakdown !== null && hasBreakdown(question) ? breakdownFields(breakdown) : {}),
    ...(hasInterval(question) ? { interval: question.interval } : {}),
    ...(kind === 'trends' ? { display: DISPLAY_NAMES[question.display] } : {}),
    ...(kind === 'trends' && question.formula !== '' ? { formula: question.formula } : {}),
    ...(question.compare && hasCompare(question) ? { compare: true } : {}),
    ...(question.withoutTestAccounts ? { filter_test_accounts: true } : {}),
    ...(kind === 'funnel' ? funnelFields(question.funnel) : {}),
  };
}

const eventOf = ({ event, math, mathProperty, filters }: Series, order: number): Fields => ({
  id: event,
  order,
  ...(math === 'total' ? {} : { math }),
  ...(needsProperty(math) && mathProperty !== '' ? { math_property: mathProperty } : {}),
  ...(filters.length === 0 ? {} : { properties: filters }),
});

const breakdownFields = ({ type, key }: Breakdown): Fields => ({
  breakdown: type === 'cohort' ? [...(key === '' ? [] : [Number(key)]), 'all'] : key,
  breakdown_type: type,
});

const funnelFields = ({ view, order, window, unit }: FunnelOptions): Fields => ({
  funnel_viz_type: view,
  funnel_order_type: order,
  funnel_window_interval: window,
  funnel_window_interval_unit: unit,
});

function retentionFields({ series, retention: { period, count, isFirstTime } }: Question): Fields {
  const entity = (one: Series | undefined): Fields | null => (one ? { id: one.event, type: 'events' } : null);
  const [target, returning] = [entity(series[0]), entity(series[1])];
  return {
    period,
    total_intervals: count,
    retention_type: isFirstTime ? 'retention_first_time' : 'retention_recurring',
    ...(target && { target_entity: target }),
    ...(returning && { returning_entity: returning }),
  };
}

const pathFields = ({ paths: { types, start, end, steps } }: Question): Fields => ({
  step_limit: steps,
  ...(types.length === 0 ? {} : { include_event_types: types }),
  ...(start === '' ? {} : { start_point: start }),
  ...(end === '' ? {} : { end_point: end }),
});
