import { Type } from '@sinclair/typebox';
import { DateTime, iso, isoOffset } from '../../../http/schemas/common.ts';
import type { TimelinePoint } from '../rules/properties-timeline.ts';
import type { TimelineRange } from '../rules/timeline-range.ts';

export const TimelineSchema = Type.Object({
  points: Type.Array(
    Type.Object({
      timestamp: DateTime,
      properties: Type.Record(Type.String(), Type.Unknown()),
      relevant_event_count: Type.Integer(),
    }),
  ),
  crucial_property_keys: Type.Array(Type.String()),
  effective_date_from: DateTime,
  effective_date_to: DateTime,
});

export const TIMELINE_QUERY = {
  events: 'JSON list of `{id}`: names of the events that count. Default: all.',
  actions: 'JSON list of `{id}`: ids of actions whose events count too.',
  properties: 'Property filters as JSON. A change of a person property in them makes a point.',
  breakdown: 'Another property, or a JSON list, if `breakdown_type` is `person`.',
  breakdown_type: '`event` (the default) or `person`.',
  date_from: 'A date, a relative date such as `-7d` (the default), or `all`.',
  date_to: 'The same. Default: now.',
  interval: '`day` (the default), `hour`, `week` or `month`.',
  display: 'Display type of the insight.',
  explicit_date: '`true`: use the exact times given.',
} as const;

/** The end of a day includes its last microsecond. */
const presentEnd = (to: number): string => isoOffset(to).replace(/\.999000\+/, '.999999+');

export const presentTimeline = (
  points: readonly TimelinePoint[],
  keys: readonly string[],
  { from, to }: TimelineRange,
) => ({
  points: points.map(({ timestamp, properties, relevantEventCount }) => ({
    timestamp: iso(timestamp),
    properties,
    relevant_event_count: relevantEventCount,
  })),
  crucial_property_keys: [...keys],
  effective_date_from: isoOffset(from),
  effective_date_to: presentEnd(to),
});
