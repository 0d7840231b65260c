/**
 * The query of an insight: as the form edits it, as the fields of the API, which are also saved, and as the same fields
 * in a URL. `rest` keeps fields without a control, so that saving an insight made through the API loses nothing.
 */
import type { DateRangeValue } from '../../components/date-range.tsx';
import { type AnyFilter, filtersToField, isComplete } from '../../lib/filters.ts';

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
  /** Counted instead of the event. */
  action: Action | null;
  math: string;
  /** For sums, averages and the like. */
  mathProperty: string;
  /** The group type of unique groups. */
  mathGroup: number | null;
  filters: readonly AnyFilter[];
}

export interface Action {
  id: number;
  name: string;
}

export type Breakdown =
  | { type: 'event' | 'person' | 'session'; key: string }
  | { type: 'group'; key: string; groupTypeIndex: number }
  /** Compared with all users. */
  | { type: 'cohort'; key: string };

/** Users who performed the event between two steps, counted from 0, are left out of the funnel. */
export interface Exclusion {
  event: string | null;
  action: Action | null;
  from: number;
  to: number;
}

/** Whose value of the breakdown counts; `step` is counted from 0. */
export type Attribution = { type: 'first_touch' | 'last_touch' | 'all_events' } | { type: 'step'; step: number };

export interface Question {
  kind: Kind;
  /** Retention: the start event and the return event. */
  series: readonly Series[];
  filters: readonly AnyFilter[];
  breakdown: Breakdown | null;
  range: DateRangeValue;
  interval: Interval;
  display: Display;
  compare: boolean;
  /** How long before this period the other one begins, `-1y`; '' for the previous period. */
  compareTo: string;
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
  exclusions: readonly Exclusion[];
  attribution: Attribution;
  /** Counts groups of this type instead of users. */
  group: number | null;
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
  action: null,
  math: 'total',
  mathProperty: '',
  mathGroup: null,
  filters: [],
});

const DEFAULTS = {
  range: { from: '-7d', to: null },
  interval: 'day',
  display: 'line',
  funnel: {
    view: 'steps',
    order: 'ordered',
    window: 14,
    unit: 'day',
    exclusions: [],
    attribution: { type: 'first_touch' },
    group: null,
  },
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
    compareTo: '',
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
  // Most often it is asked whether users come back to do the same.
  const other = kind === 'retention' ? (kept[0]?.event ?? '') : '';
  const missing = Array.from({ length: Math.max(0, minSeries - kept.length) }, () => newSeries(other));
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
    compareTo: (hasCompare(question) ? question : before).compareTo,
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
  funnel: { ...question.funnel, exclusions: question.funnel.exclusions.filter(isEntity) },
});

/** Whether an event or action is selected. */
const isEntity = ({ event, action }: Pick<Series, 'event' | 'action'>): boolean => action !== null || event !== '';

const isCompleteSeries = (series: Series): boolean =>
  isEntity(series) && (!needsProperty(series.math) || series.mathProperty !== '');

export function missingFrom(question: Question): string | null {
  const { kind, series } = finished(question);
  if (kind === 'paths') return null;
  if (kind === 'funnel' && series.length < 2) return 'Select an event for at least two steps.';
  if (series.length === 0) return 'Select an event.';
  return null;
}

/** All fields with a control; the others are `rest`. */
export const OWN_FIELDS = new Set(
  'insight events actions properties breakdown breakdown_type breakdown_group_type_index date_from date_to interval display compare compare_to filter_test_accounts formula funnel_viz_type funnel_order_type funnel_window_interval funnel_window_interval_unit exclusions breakdown_attribution_type breakdown_attribution_value aggregation_group_type_index period total_intervals retention_type target_entity returning_entity include_event_types start_point end_point step_limit'.split(
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
    ...(kind === 'paths' || kind === 'retention' ? {} : entityFields(question.series)),
    ...(filters.length === 0 ? {} : { properties: filtersToField(filters) }),
    ...(breakdown !== null && hasBreakdown(question) ? breakdownFields(breakdown) : {}),
    ...(hasInterval(question) ? { interval: question.interval } : {}),
    ...(kind === 'trends' ? { display: DISPLAY_NAMES[question.display] } : {}),
    ...(kind === 'trends' && question.formula !== '' ? { formula: question.formula } : {}),
    ...(question.compare && hasCompare(question) ? compareFields(question) : {}),
    ...(question.withoutTestAccounts ? { filter_test_accounts: true } : {}),
    ...(kind === 'funnel' ? funnelFields(question) : {}),
  };
}

const compareFields = ({ kind, compareTo }: Question): Fields => ({
  compare: true,
  ...(compareTo === '' || kind !== 'trends' ? {} : { compare_to: compareTo }),
});

/** Events and actions are two lists, joined by their order. */
function entityFields(series: readonly Series[]): Fields {
  const listed = series.map((one, order) => ({ isAction: one.action !== null, entity: entityOf(one, order) }));
  const of = (isAction: boolean): Fields[] =>
    listed.filter((one) => one.isAction === isAction).map((one) => one.entity);
  const actions = of(true);
  return { events: of(false), ...(actions.length === 0 ? {} : { actions }) };
}

const entityOf = ({ event, action, math, mathProperty, mathGroup, filters }: Series, order: number): Fields => ({
  ...(action ?? { id: event }),
  order,
  ...(math === 'total' ? {} : { math }),
  ...(needsProperty(math) && mathProperty !== '' ? { math_property: mathProperty } : {}),
  ...(mathGroup === null ? {} : { math_group_type_index: mathGroup }),
  ...(filters.length === 0 ? {} : { properties: filtersToField(filters) }),
});

function breakdownFields(breakdown: Breakdown): Fields {
  const { type, key } = breakdown;
  return {
    breakdown: type === 'cohort' ? [...(key === '' ? [] : [Number(key)]), 'all'] : key,
    breakdown_type: type,
    ...(type === 'group' ? { breakdown_group_type_index: breakdown.groupTypeIndex } : {}),
  };
}

function funnelFields(question: Question): Fields {
  const { view, order, window, unit, exclusions, attribution, group } = question.funnel;
  const excluded = exclusions.filter(({ from, to }) => from < to && to < question.series.length);
  return {
    funnel_viz_type: view,
    funnel_order_type: order,
    funnel_window_interval: window,
    funnel_window_interval_unit: unit,
    ...(excluded.length === 0 ? {} : { exclusions: excluded.map(exclusionOf) }),
    ...(attribution.type === 'first_touch' ? {} : { breakdown_attribution_type: attribution.type }),
    ...(attribution.type === 'step' ? { breakdown_attribution_value: attribution.step } : {}),
    ...(group === null ? {} : { aggregation_group_type_index: group }),
  };
}

const exclusionOf = ({ event, action, from, to }: Exclusion): Fields => ({
  ...(action ?? { id: event }),
  type: action === null ? 'events' : 'actions',
  funnel_from_step: from,
  funnel_to_step: to,
});

function retentionFields({ series, retention: { period, count, isFirstTime } }: Question): Fields {
  const entity = (one: Series | undefined): Fields | null =>
    one ? (one.action ? { ...one.action, type: 'actions' } : { id: one.event, type: 'events' }) : null;
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
