import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable } from '../../../http/schemas/common.ts';
import type { StoredGroup } from '../../../stores/metadata/groups.ts';

/** A question is an object of many optional fields, which are read leniently. */
export const JourneyQuestionSchema = Type.Record(Type.String(), Type.Unknown());

const ENVELOPE = { is_cached: Type.Boolean(), last_refresh: DateTime };

export const InsightAnswerSchema = Type.Object({
  result: Type.Unknown(),
  timezone: Type.String(),
  ...ENVELOPE,
});

export const CorrelationAnswerSchema = Type.Object({ result: Type.Unknown(), ...ENVELOPE });

export const PeopleAnswerSchema = Type.Object({
  results: Type.Array(Type.Object({ people: Type.Array(Type.Unknown()), count: Type.Integer() })),
  next: nullable(Type.String({ format: 'uri' })),
  initial: Type.String({ format: 'uri' }),
  missing_persons: Type.Integer(),
  ...ENVELOPE,
});

const JOURNEY_QUERY = {
  events: 'JSON: a list of `{id, order, properties}`.',
  properties: 'JSON: filters on events, persons and cohorts.',
  date_from: '`-7d` (the default), `2024-01-31`, `all` …',
  date_to: 'Likewise; now by default.',
  filter_test_accounts: 'Whether to leave out what the project calls test accounts.',
  refresh: 'Whether to compute anew.',
} as const;

export const FUNNEL_QUERY = {
  ...JOURNEY_QUERY,
  funnel_order_type: '`ordered` (the default), `strict` or `unordered`.',
  funnel_viz_type: '`steps` (the default), `trends` or `time_to_convert`.',
  funnel_window_interval: 'How long a conversion may take: 14 by default, of the unit.',
  funnel_window_interval_unit: '`minute`, `hour`, `day` (the default), `week` or `month`.',
  exclusions: 'JSON: what must not happen between two steps.',
  breakdown: 'By which property, or which cohorts, to divide.',
  breakdown_type: '`event` (the default), `person` or `cohort`.',
  breakdown_attribution_type: '`first_touch` (the default), `last_touch`, `all_events` or `step`.',
} as const;

export const CORRELATION_QUERY = {
  ...FUNNEL_QUERY,
  funnel_correlation_type: '`events` (the default), `properties` or `event_with_properties`.',
  funnel_correlation_names: 'JSON: which properties; `$all` for any.',
  funnel_correlation_event_names: 'JSON: which events, to compare their properties.',
} as const;

const { events: _, ...COMMON } = JOURNEY_QUERY;

export const PATH_QUERY = {
  ...COMMON,
  include_event_types: 'JSON: of `$pageview`, `$screen`, `custom_event`; all when empty.',
  include_custom_events: 'JSON: names of events.',
  exclude_events: 'JSON: items to leave out.',
  path_replacements: "Whether to apply the project's replacements.",
  path_groupings: 'JSON: texts in which `*` stands for anything.',
  start_point: 'Where paths begin.',
  end_point: 'Where they end.',
  step_limit: 'How many items of a path are shown: 5 unless given.',
  edge_limit: 'How many edges: 50 unless given.',
  min_edge_weight: 'Only edges taken so often.',
  max_edge_weight: 'Only edges taken no more often.',
  funnel_paths: 'Paths `funnel_path_before_step`, `funnel_path_between_steps` or `funnel_path_after_step`.',
  funnel_filter: 'JSON: the funnel, with its `funnel_step`.',
} as const;

export const presentGroupActor = ({ typeIndex, key, properties, createdAt }: StoredGroup) => ({
  type: 'group' as const,
  id: key,
  group_key: key,
  group_type_index: typeIndex,
  created_at: iso(createdAt),
  properties,
  matched_recordings: [],
  value_at_data_point: null,
});
