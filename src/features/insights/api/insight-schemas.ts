/** Shapes and documentation of the routes of insights: by endpoint, and by the path to the persons behind a number. */
import { type TSchema, Type } from '@sinclair/typebox';
import { DateTime, nullable, PAGE_QUERY } from '../../../http/schemas/common.ts';
import { PersonSchema } from '../../persons/api/person-schemas.ts';
import type { InsightKind, People } from '../kinds.ts';

/** A question has many optional fields, which are read leniently. */
export const InsightBody = Type.Record(Type.String(), Type.Unknown());

const Link = Type.Object({ url: Type.String(), filter: Type.Record(Type.String(), Type.Unknown()) });
const Uri = Type.String({ format: 'uri' });
const Next = nullable(Uri);
const FRESHNESS = { is_cached: Type.Boolean(), last_refresh: DateTime };
const ENVELOPE = { timezone: Type.String(), ...FRESHNESS };

const TrendItemSchema = Type.Object({
  label: Type.String(),
  count: Type.Number(),
  data: Type.Array(Type.Number()),
  labels: Type.Array(Type.String()),
  days: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  action: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  persons_urls: Type.Optional(Type.Array(Link)),
  persons: Type.Optional(Link),
  aggregated_value: Type.Optional(nullable(Type.Number())),
  breakdown_value: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  compare: Type.Optional(Type.Boolean()),
  compare_label: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
});

export const TrendAnswerSchema = Type.Object({ result: Type.Array(TrendItemSchema), next: Next, ...ENVELOPE });

const RetentionValueSchema = Type.Object({
  count: Type.Integer(),
  people: Type.Array(Type.Unknown()),
  people_url: Type.Optional(Type.String()),
});

export const RetentionAnswerSchema = Type.Object({
  result: Type.Array(
    Type.Object({
      label: Type.String(),
      date: Type.Optional(DateTime),
      breakdown_values: Type.Optional(Type.Array(Type.String())),
      values: Type.Array(RetentionValueSchema),
      people_url: Type.String(),
    }),
  ),
  ...ENVELOPE,
});

const AnyAnswer = Type.Object({ result: Type.Unknown(), ...ENVELOPE });
const CorrelationAnswer = Type.Object({ result: Type.Unknown(), ...FRESHNESS });

const resultsOf = (person: TSchema) => Type.Array(Type.Object({ people: Type.Array(person), count: Type.Integer() }));
const PeopleSchema = Type.Object({
  results: resultsOf(Type.Unknown()),
  next: Next,
  initial: Uri,
  missing_persons: Type.Integer(),
  ...FRESHNESS,
});
const RetentionPeopleSchema = Type.Object({
  result: Type.Array(Type.Object({ person: Type.Unknown(), appearances: Type.Array(Type.Integer()) })),
  next: Next,
  missing_persons: Type.Integer(),
});

const SHARED = {
  properties: 'Filters as JSON: a list, or a group `{type, values}`. Type `hogql`: the key is an expression.',
  filter_test_accounts: 'True: filter out internal and test users.',
  date_to: 'Now by default: `2024-01-31`, an ISO time, or relative such as `-7d`.',
} as const;

const TREND_QUERY = {
  insight: '`TRENDS` (the default), `LIFECYCLE` or `STICKINESS`.',
  events: 'Series as a JSON list of `{id, math, math_property, properties, order}`.',
  date_from: '`-7d` by default; `all` starts with the first event.',
  interval: '`day` (the default), `hour`, `week` or `month`.',
  display: '`ActionsLineGraph` (the default), `ActionsLineGraphCumulative`, `ActionsTable` and others.',
  breakdown: 'A property, cohorts, or an expression to break down by.',
  breakdown_type: '`event` (the default), `person`, `cohort`, `group`, `session` or `hogql` (an expression).',
  compare: 'True: compare to the previous period.',
  compare_to:
    'Trends: how long before this period the other one begins, such as `-1y`; the previous period by default.',
  formula: 'Arithmetic over series, such as `A / B`.',
  export_name: 'CSV: the name of the file.',
  export_insight_id: 'CSV: the short id of a saved insight, whose address becomes the first line.',
  ...SHARED,
} as const;

const RETENTION_QUERY = {
  target_entity: 'The event that starts a cohort, as JSON `{id, type}`.',
  returning_entity: 'The event that counts as a return.',
  period: '`Day` (the default), `Hour`, `Week` or `Month`.',
  total_intervals: 'How many periods; 11 by default.',
  retention_type: '`retention_recurring` (the default) or `retention_first_time`.',
  breakdowns: 'Properties to break down by, as a JSON list of `{property, type}`.',
  ...SHARED,
} as const;

const SEQUENCE_QUERY = {
  properties: 'JSON: filters on events, persons and cohorts, or expressions (type `hogql`).',
  date_from: '`-7d` (the default), `2024-01-31`, `all` …',
  date_to: 'Likewise; now by default.',
  filter_test_accounts: 'True: filter out internal and test users.',
  refresh: 'True: recalculate.',
} as const;

const FUNNEL_QUERY = {
  events: 'JSON: a list of `{id, order, properties}`.',
  ...SEQUENCE_QUERY,
  funnel_order_type: '`ordered` (the default), `strict` or `unordered`.',
  funnel_viz_type: '`steps` (the default), `trends` or `time_to_convert`.',
  funnel_window_interval: 'The conversion window: 14 by default.',
  funnel_window_interval_unit: '`minute`, `hour`, `day` (the default), `week` or `month`.',
  exclusions: 'JSON: events that must not happen between two steps.',
  breakdown: 'A property, cohorts, or an expression to break down by.',
  breakdown_type: '`event` (the default), `person`, `cohort`, `group`, `session` or `hogql` (an expression).',
  breakdown_attribution_type: '`first_touch` (the default), `last_touch`, `all_events` or `step`.',
} as const;

const CORRELATION_QUERY = {
  ...FUNNEL_QUERY,
  funnel_correlation_type: '`events` (the default), `properties` or `event_with_properties`.',
  funnel_correlation_names: 'JSON: which properties; `$all` for any.',
  funnel_correlation_event_names: 'JSON: the events whose properties are compared.',
} as const;

const PATH_QUERY = {
  ...SEQUENCE_QUERY,
  include_event_types: 'JSON: of `$pageview`, `$screen`, `custom_event`; all when empty.',
  include_custom_events: 'JSON: names of events.',
  exclude_events: 'JSON: path items to exclude.',
  path_replacements: "Whether to apply the project's path cleaning rules.",
  path_groupings: 'JSON: wildcard groups, in which `*` matches anything.',
  start_point: 'Where paths start.',
  end_point: 'Where they end.',
  step_limit: 'The number of steps shown: 5 by default.',
  edge_limit: 'The number of edges: 50 by default.',
  min_edge_weight: 'Only edges with at least this many persons.',
  max_edge_weight: 'Only edges with at most this many persons.',
  funnel_paths: 'Paths `funnel_path_before_step`, `funnel_path_between_steps` or `funnel_path_after_step`.',
  funnel_filter: 'JSON: the funnel, with its `funnel_step`.',
} as const;

interface Docs {
  summary: string;
  query: Readonly<Record<string, string>>;
  response: TSchema;
}

export const INSIGHT_DOCS: Readonly<Record<InsightKind['endpoint'], Docs>> = {
  trend: {
    summary: 'Numbers over time: trends, lifecycle, stickiness',
    query: TREND_QUERY,
    response: TrendAnswerSchema,
  },
  retention: {
    summary: 'How many persons came back, by time since they started',
    query: RETENTION_QUERY,
    response: RetentionAnswerSchema,
  },
  funnel: {
    summary: 'Conversion through a funnel: by step, over time, or the time to convert',
    query: FUNNEL_QUERY,
    response: AnyAnswer,
  },
  path: { summary: 'The paths that users take', query: PATH_QUERY, response: AnyAnswer },
  'funnel/correlation': {
    summary: 'Events and properties that correlate with conversion in a funnel',
    query: CORRELATION_QUERY,
    response: CorrelationAnswer,
  },
};

const SERIES = {
  entity_id: 'The event, or the action, that the number counts.',
  entity_type: '`events` or `actions`.',
  entity_math: 'How it counts; `total` by default.',
  entity_order: 'The index of the series, counted from 0.',
  search: 'Part of the email address or name of a person.',
  ...PAGE_QUERY,
} as const;

export const PEOPLE_DOCS: Readonly<Record<People['path'], Docs>> = {
  trends: {
    summary: 'The persons behind a number of a trend, those with the most events first',
    query: { ...TREND_QUERY, ...SERIES, breakdown_value: 'The value of the breakdown.' },
    response: PeopleSchema,
  },
  stickiness: {
    summary: 'The persons who were active in a number of intervals',
    query: { ...TREND_QUERY, ...SERIES, stickiness_days: 'The number of intervals.' },
    response: Type.Object({ results: resultsOf(Type.Unknown()), next: Next }),
  },
  lifecycle: {
    summary: 'The persons who were new, returning, resurrecting or dormant in an interval',
    query: {
      ...TREND_QUERY,
      target_date: 'A day of the interval.',
      lifecycle_type: '`new`, `returning`, `resurrecting` or `dormant`.',
      ...PAGE_QUERY,
    },
    response: Type.Object({ results: resultsOf(PersonSchema), next: Next }),
  },
  retention: {
    summary: 'The persons of one cohort of retention, and when they came back',
    query: {
      ...RETENTION_QUERY,
      selected_interval: 'The interval in which the cohort started, counted from 0.',
      breakdown_values: 'The values of the breakdown, as a JSON list.',
      ...PAGE_QUERY,
    },
    response: RetentionPeopleSchema,
  },
  funnel: {
    summary: 'The persons behind a number of a funnel',
    query: {
      ...FUNNEL_QUERY,
      funnel_step: 'Those who reached this step; -2: those who reached the first and not the second.',
      funnel_step_breakdown: 'The value of the breakdown.',
    },
    response: PeopleSchema,
  },
  path: {
    summary: 'The persons who took an edge of a path',
    query: {
      ...PATH_QUERY,
      path_start_key: 'Where the edge starts: `1_/pricing`.',
      path_end_key: 'Where it ends.',
      path_dropoff_key: 'Instead: where the path ends.',
    },
    response: PeopleSchema,
  },
  'funnel/correlation': {
    summary: 'The persons behind a number of a correlation',
    query: {
      ...CORRELATION_QUERY,
      funnel_correlation_person_entity: 'JSON: the event that they did, `{id, type, properties}`.',
      funnel_correlation_property_values: 'JSON: filters on their properties.',
      funnel_correlation_person_converted: '`true` or `false`; both when absent.',
      funnel_correlation_person_limit: 'How many to show: 100 by default, at most 1000.',
      funnel_correlation_person_offset: 'How many to skip.',
    },
    response: PeopleSchema,
  },
};
