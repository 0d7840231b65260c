import { isJsonNumber, type Json, type JsonObject } from '../json/json.ts';
import { parseTimestamp, withinSupportedYears } from '../time/parse-timestamp.ts';
import { HOUR_MS } from '../time/units.ts';
import type { Warning } from './warning.ts';

export interface RequestTimestamps {
  /** When the request arrived, ms UTC. */
  receivedAt: number;
  /** When the client says it sent the request, ms UTC on its own clock. */
  sentAt: number | null;
}

/** Allows for fast clocks and missing time zones; later times are wrong. */
const MAX_AHEAD_MS = 23 * HOUR_MS;

/** When the event happened by the server's clock; the arrival time, with a warning, where that is unknown. */
export function eventTime(
  raw: JsonObject,
  ignoreSentAt: boolean,
  clocks: RequestTimestamps,
  warnings: Warning[],
): number {
  const reported = reportedTime(raw, ignoreSentAt, clocks);
  if (reported === undefined) {
    warnings.push({ type: 'ignored_invalid_timestamp', details: timeDetails(raw, clocks) });
    return clocks.receivedAt;
  }
  if (reported <= clocks.receivedAt + MAX_AHEAD_MS) return reported;
  warnings.push({ type: 'event_timestamp_in_future', details: { ...timeDetails(raw, clocks), result: reported } });
  return clocks.receivedAt;
}

/** What the client says, by the server's clock; undefined where it says nothing that is a time. */
export function reportedTime(raw: JsonObject, ignoreSentAt: boolean, clocks: RequestTimestamps): number | undefined {
  const { timestamp, offset } = raw;
  if (timestamp) return withSkew(parseTimestamp(timestamp), ignoreSentAt, clocks);
  // Queued browser events say how long before sending they happened.
  if (isJsonNumber(offset) && offset !== 0) return withinSupportedYears(clocks.receivedAt - Number(offset));
  return clocks.receivedAt;
}

/** A wrong client clock is wrong by the same amount in both of its readings. */
function withSkew(parsed: number | undefined, ignoreSentAt: boolean, clocks: RequestTimestamps): number | undefined {
  if (parsed === undefined || clocks.sentAt === null || ignoreSentAt) return parsed;
  return withinSupportedYears(parsed + (clocks.receivedAt - clocks.sentAt));
}

const timeDetails = (raw: JsonObject, clocks: RequestTimestamps): JsonObject => ({
  timestamp: preview(raw['timestamp']),
  offset: preview(raw['offset']),
  sentAt: clocks.sentAt,
  now: clocks.receivedAt,
});

const preview = (value: Json | undefined): Json => {
  if (typeof value === 'string') return value.slice(0, 100);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};
