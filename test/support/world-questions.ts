/** Queries of every kind on the random data of `insight-worlds.ts`; `$cohort` stands for the cohort id. */
import { readSteps } from '../../src/core/actions/action-steps.ts';
import type { ActionDefinition } from '../../src/core/actions/entity.ts';
import type { JsonObject } from '../../src/core/json/json.ts';

interface WorldQuestion {
  path: string;
  why: string;
  fields: JsonObject;
}

const trends = (why: string, fields: JsonObject): WorldQuestion => ({
  path: 'insights/trend',
  why,
  fields: { insight: 'TRENDS', events: [{ id: 'visit' }, { id: null }], date_from: '-9d', ...fields },
});

const funnel = (why: string, fields: JsonObject): WorldQuestion => ({
  path: 'insights/funnel',
  why,
  fields: {
    insight: 'FUNNELS',
    events: [
      { id: 'visit', order: 0 },
      { id: null, order: 1, properties: [{ key: 'plan', value: 'p.*', operator: 'regex' }] },
      { id: 'pay', order: 2 },
    ],
    date_from: '-11d',
    funnel_window_days: 3,
    ...fields,
  },
});

const retention = (why: string, fields: JsonObject): WorldQuestion => ({
  path: 'insights/retention',
  why,
  fields: { insight: 'RETENTION', period: 'Day', total_intervals: 9, date_to: '-1d', ...fields },
});

const EVERY_OPERATOR = [
  { key: 'plan', value: ['pro', '', 'null'], operator: 'exact' },
  { key: 'plan', value: 'free', operator: 'is_not' },
  { key: 'plan', value: 'R', operator: 'icontains' },
  { key: 'plan', value: 'ü', operator: 'not_icontains' },
  { key: 'plan', value: '^p.o$', operator: 'regex' },
  { key: 'plan', value: '(', operator: 'not_regex' },
  { key: 'amount', operator: 'is_set', value: 'is_set' },
  { key: 'amount', operator: 'is_not_set', value: 'is_not_set' },
  { key: 'amount', value: 5, operator: 'gte' },
  { key: 'amount', value: '1e1', operator: 'lt' },
  { key: '$session_id', value: '2024-02-30', operator: 'is_date_before' },
  { key: 'amount', value: '2024-01-01', operator: 'is_date_after' },
];

/** The action with the id 7. */
export const WORLD_ACTION: ActionDefinition = {
  id: 7,
  name: 'an action',
  steps: readSteps([
    { event: '$pageview', url: '/%_e/' },
    { event: '$pageview', url: 'pr' },
    { event: 'pay', properties: [{ key: 'plan', value: 'pro', type: 'person' }] },
  ]),
};

export const QUESTIONS: readonly WorldQuestion[] = [
  trends('in hours', { interval: 'hour', date_from: '-30h' }),
  trends('of persons', {
    events: [
      { id: null, math: 'dau' },
      { id: 'visit', math: 'weekly_active' },
    ],
    compare: true,
  }),
  trends('of persons in the days before each hour', {
    events: [
      { id: null, math: 'weekly_active' },
      { id: 'visit', math: 'monthly_active' },
    ],
    interval: 'hour',
    date_from: '-50h',
  }),
  trends('of sums and quantiles', {
    events: ['sum', 'avg', 'min', 'median', 'p90'].map((math) => ({ id: null, math, math_property: 'amount' })),
  }),
  trends('of sessions', {
    events: [
      { id: null, math: 'unique_session' },
      { id: null, math: 'median', math_property: '$session_duration' },
    ],
  }),
  trends('of groups and counts', {
    events: [
      { id: null, math: 'unique_group', math_group_type_index: 0 },
      { id: null, math: 'p90_count_per_actor' },
    ],
    interval: 'week',
  }),
  trends('by a property', {
    breakdown: 'plan',
    display: 'ActionsLineGraphCumulative',
    events: [{ id: null, math: 'dau' }],
  }),
  trends('by what persons are', { breakdown: 'plan', breakdown_type: 'person', interval: 'month' }),
  trends('by bins', { breakdown: 'amount', breakdown_histogram_bin_count: 3 }),
  trends('by addresses', { breakdown: '$current_url', breakdown_normalize_url: true, display: 'ActionsTable' }),
  trends('by sessions', { breakdown: '$session_duration', breakdown_type: 'session' }),
  trends('by cohorts', { breakdown: ['all', '$cohort'], breakdown_type: 'cohort', events: [{ id: 'visit' }] }),
  trends('by groups', { breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 0 }),
  trends('with every operator, any of them', {
    events: [{ id: null }],
    properties: { type: 'OR', values: EVERY_OPERATOR.slice(0, 6) },
  }),
  trends('with every operator, each by itself', {
    events: EVERY_OPERATOR.map((filter) => ({ id: null, properties: [filter] })),
    display: 'ActionsTable',
  }),
  trends('with filters on everything else', {
    events: [
      [{ key: 'plan', value: 'pro', operator: 'is_not', type: 'person' }],
      [{ key: 'id', value: '$cohort', type: 'cohort' }],
      [{ key: 'size', value: 5, operator: 'gt', type: 'group', group_type_index: 0 }],
      [{ key: '$session_duration', value: 600, operator: 'gt', type: 'session' }],
      [{ key: 'selector', value: 'form > button.buy', type: 'element' }],
      [{ key: 'selector', value: String.raw`button.md\:flex.w-1\/2[data-x="a > \"b\""]`, type: 'element' }],
      [{ key: 'text', value: 'pro', operator: 'not_icontains', type: 'element' }],
    ].map((properties) => ({ id: null, properties })),
    display: 'ActionsTable',
  }),
  {
    path: 'persons/trends',
    why: 'with their sums',
    fields: { events: [{ id: null, math: 'sum', math_property: 'amount' }], date_from: '-9d', entity_order: 0 },
  },
  trends('of lifecycles', { insight: 'LIFECYCLE', shown_as: 'Lifecycle', events: [{ id: null }] }),
  trends('of lifecycles in minutes', {
    insight: 'LIFECYCLE',
    shown_as: 'Lifecycle',
    events: [{ id: null }],
    interval: 'hour',
    date_from: '-11d',
  }),
  trends('of stickiness', { insight: 'STICKINESS', shown_as: 'Stickiness', events: [{ id: null }] }),
  retention('recurring', { target_entity: { id: 'visit' }, returning_entity: { id: null } }),
  retention('for the first time, by a property', {
    retention_type: 'retention_first_time',
    breakdowns: [{ property: 'plan', type: 'event' }, { property: 'amount' }],
  }),
  { ...retention('who', { selected_interval: 0 }), path: 'persons/retention' },
  funnel('in order', {}),
  funnel('in any order, by a property', { funnel_order_type: 'unordered', breakdown: 'plan' }),
  funnel('in any order, by the value on a step', {
    funnel_order_type: 'unordered',
    breakdown: 'plan',
    breakdown_attribution_type: 'step',
    breakdown_attribution_value: 1,
  }),
  trends('of an action', { events: [], actions: [{ id: 7, math: 'dau' }] }),
  trends('in the future', { date_from: '2100-01-01', events: [{ id: null, math: 'dau' }, { id: null }] }),
  funnel('in the future', { date_from: '2100-01-01', breakdown: 'plan' }),
  funnel('strictly, by cohorts', {
    funnel_order_type: 'strict',
    breakdown: ['all', '$cohort'],
    breakdown_type: 'cohort',
  }),
  funnel('of groups, by what persons are', {
    aggregation_group_type_index: 0,
    breakdown: 'plan',
    breakdown_type: 'person',
  }),
  { ...funnel('who', { funnel_step: 1 }), path: 'persons/funnel' },
  { ...funnel('what goes with it', { funnel_correlation_type: 'events' }), path: 'insights/funnel/correlation' },
  {
    path: 'insights/path',
    why: 'of everything',
    fields: { insight: 'PATHS', date_from: '-11d', include_event_types: ['$pageview', 'custom_event'] },
  },
];
