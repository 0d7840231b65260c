import { Type } from '@sinclair/typebox';
import { DateTime, nullable, PAGE_QUERY } from '../../../http/schemas/common.ts';
import { PersonSchema } from '../../persons/api/person-schemas.ts';

/** A question is an object of many optional fields, which are read leniently. */
export const InsightBody = Type.Record(Type.String(), Type.Unknown());

const Link = Type.Object({ url: Type.String(), filter: Type.Record(Type.String(), Type.Unknown()) });
const Next = nullable(Type.String({ format: 'uri' }));
const ENVELOPE = { timezone: Type.String(), is_cached: Type.Boolean(), last_refresh: DateTime };

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

const People = Type.Array(Type.Unknown());

export const TrendPeopleSchema = Type.Object({
  results: Type.Array(Type.Object({ people: People, count: Type.Integer() })),
  next: Next,
  initial: Type.String({ format: 'uri' }),
  missing_persons: Type.Integer(),
  is_cached: Type.Boolean(),
  last_refresh: DateTime,
});

export const StickinessPeopleSchema = Type.Object({
  results: Type.Array(Type.Object({ people: People, count: Type.Integer() })),
  next: Next,
});

export const LifecyclePeopleSchema = Type.Object({
  results: Type.Array(Type.Object({ people: Type.Array(PersonSchema), count: Type.Integer() })),
  next: Next,
});

export const RetentionPeopleSchema = Type.Object({
  result: Type.Array(Type.Object({ person: Type.Unknown(), appearances: Type.Array(Type.Integer()) })),
  next: Next,
  missing_persons: Type.Integer(),
});

const SHARED = {
  properties: 'Filters as JSON: a list, or a group `{type, values}`.',
  filter_test_accounts: 'True: leave out what the project calls test accounts.',
  date_to: 'Now unless given: `2024-01-31`, an ISO time, or `-7d` and the like.',
} as const;

export const TREND_QUERY = {
  insight: '`TRENDS` (the default), `LIFECYCLE` or `STICKINESS`.',
  events: 'Series as a JSON list of `{id, math, math_property, properties, order}`.',
  date_from: 'A week ago unless given; `all` begins with the first event.',
  interval: '`day` (the default), `hour`, `week` or `month`.',
  display: '`ActionsLineGraph` (the default), `ActionsLineGraphCumulative`, `ActionsTable` and others.',
  breakdown: 'A property, or cohorts, by which numbers are divided.',
  breakdown_type: '`event` (the default), `person`, `cohort`, `group` or `session`.',
  compare: 'True: the period before as well.',
  formula: 'Arithmetic over series, such as `A / B`.',
  export_name: 'As CSV: what the file is called.',
  export_insight_id: 'As CSV: the short id of a saved insight, whose address is put on top.',
  ...SHARED,
} as const;

export const RETENTION_QUERY = {
  target_entity: 'The event that begins it, as JSON `{id, type}`.',
  returning_entity: 'The event that counts as a return.',
  period: '`Day` (the default), `Hour`, `Week` or `Month`.',
  total_intervals: 'How many periods; 11 unless given.',
  retention_type: '`retention_recurring` (the default) or `retention_first_time`.',
  breakdowns: 'Properties to divide by, as a JSON list of `{property, type}`.',
  ...SHARED,
} as const;

const ENTITY = {
  entity_id: 'The event, or the action, that the number counts.',
  entity_type: '`events` or `actions`.',
  entity_math: 'How it counts; `total` unless given.',
  entity_order: 'Which of the listed series it is, counted from 0.',
  search: 'Part of the e-mail or name of a person.',
  ...PAGE_QUERY,
} as const;

export const TREND_PEOPLE_QUERY = { ...TREND_QUERY, ...ENTITY, breakdown_value: 'The value that the number is of.' };
export const STICKINESS_PEOPLE_QUERY = { ...TREND_QUERY, ...ENTITY, stickiness_days: 'Active in so many intervals.' };
export const LIFECYCLE_PEOPLE_QUERY = {
  ...TREND_QUERY,
  target_date: 'A day of the interval.',
  lifecycle_type: '`new`, `returning`, `resurrecting` or `dormant`.',
  ...PAGE_QUERY,
};
export const RETENTION_PEOPLE_QUERY = {
  ...RETENTION_QUERY,
  selected_interval: 'Those who came in this interval, counted from 0.',
  breakdown_values: 'Those of these values of the breakdown, as a JSON list.',
  ...PAGE_QUERY,
};
