/** Random questions about the properties of sessions, for sites of `web-worlds.ts`. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import { SESSION_PROPERTY_NAMES } from '../../src/core/web/session-properties.ts';
import { WEB_RANGE } from './web-worlds.ts';

const aName = fc.constantFrom<string>(...SESSION_PROPERTY_NAMES, '$exit_pathname', '$exit_current_url');

const VALUES: Json[] = [
  'Direct',
  'Unknown',
  'Paid Search',
  '/',
  '/a',
  '/c',
  'e',
  'true',
  'false',
  '0',
  1,
  2,
  900,
  'cpc',
  '',
];

const aFilter = fc.record({
  key: aName,
  type: fc.constant('session'),
  operator: fc.constantFrom(
    ...['exact', 'is_not', 'icontains', 'not_icontains', 'is_set', 'is_not_set', 'gt', 'lt', 'regex', 'not_regex'],
  ),
  value: fc.constantFrom(...VALUES),
});

const aStatistic = fc.record({
  math: fc.constantFrom('avg', 'sum', 'max', 'median'),
  math_property: fc.constantFrom('$session_duration', '$is_bounce', '$pageview_count', '$autocapture_count'),
});

const someDates = { date_from: '2026-03-10', date_to: '2026-03-11' };

export const SITE_NOW = WEB_RANGE.until + 86_400_000;

/** Fields of a trend. */
export const aSessionTrend = fc
  .record({
    id: fc.constantFrom('$pageview', null, 'liked'),
    math: fc.oneof(fc.constant({}), fc.constant({ math: 'unique_session' }), aStatistic),
    breakdown: fc.oneof(fc.constant(null), aName),
    isUrl: fc.boolean(),
    properties: fc.array(aFilter, { maxLength: 2 }),
    ofEntity: fc.array(aFilter, { maxLength: 1 }),
    display: fc.constantFrom('ActionsLineGraph', 'ActionsTable'),
  })
  .map(
    ({ id, math, breakdown, isUrl, properties, ofEntity, display }): JsonObject => ({
      ...someDates,
      display,
      properties,
      events: [{ id, ...math, properties: ofEntity }],
      ...(breakdown === null
        ? {}
        : { breakdown, breakdown_type: 'session', ...(isUrl ? { breakdown_normalize_url: true } : {}) }),
    }),
  );

/** Fields of a funnel. */
export const aSessionFunnel = fc
  .record({ keys: fc.uniqueArray(aName, { maxLength: 2 }), properties: fc.array(aFilter, { maxLength: 1 }) })
  .map(
    ({ keys, properties }): JsonObject => ({
      ...someDates,
      properties,
      events: [{ id: '$pageview' }, { id: null }],
      funnel_window_interval: 1,
      ...(keys.length === 0 ? {} : { breakdown: keys, breakdown_type: 'session' }),
    }),
  );

/** Fields of a retention table. */
export const aSessionRetention = fc
  .record({
    keys: fc.uniqueArray(aName, { minLength: 1, maxLength: 2 }),
    properties: fc.array(aFilter, { maxLength: 1 }),
    retention_type: fc.constantFrom('retention_recurring', 'retention_first_time'),
    period: fc.constantFrom('Hour', 'Day'),
  })
  .map(
    ({ keys, ...fields }): JsonObject => ({
      ...fields,
      date_to: '2026-03-12',
      total_intervals: 7,
      target_entity: { id: '$pageview' },
      returning_entity: { id: null },
      breakdowns: keys.map((property) => ({ property, type: 'session' })),
    }),
  );
