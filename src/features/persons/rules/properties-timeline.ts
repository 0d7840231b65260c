import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';

/** The time of an event, and the properties of its person at that time. */
export interface TimelineMoment {
  timestamp: number;
  valueOf(key: string): Json | undefined;
  properties(): JsonObject;
}

export interface TimelinePoint {
  timestamp: number;
  properties: JsonObject;
  /** Events until the next point. */
  relevantEventCount: number;
}

/** A point for the first moment, and for each at which one of the keys changes. Moments are in time order. */
export function timelinePoints(moments: Iterable<TimelineMoment>, keys: readonly string[]): TimelinePoint[] {
  const points: TimelinePoint[] = [];
  let last: (Json | undefined)[] | undefined;
  for (const moment of moments) {
    const values = keys.map((key) => moment.valueOf(key));
    const point = points.at(-1);
    if (point && last && values.every((value, i) => jsonEqual(value, last?.[i]))) point.relevantEventCount++;
    else points.push({ timestamp: moment.timestamp, properties: moment.properties(), relevantEventCount: 1 });
    last = values;
  }
  return points;
}
