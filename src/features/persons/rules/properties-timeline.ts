import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';

/** An event as far as it matters here: when, and what its person was like then. */
export interface TimelineMoment {
  timestamp: number;
  valueOf(key: string): Json | undefined;
  properties(): JsonObject;
}

export interface TimelinePoint {
  timestamp: number;
  properties: JsonObject;
  /** Events from here to the next point. */
  relevantEventCount: number;
}

/** Moments come in order of time. A point is the first of them, and each at which one of the keys has a new value. */
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
