import type { Json, JsonObject } from '../json/json.ts';
import { parseTimestamp, withinSupportedYears } from '../time/parse-timestamp.ts';
import type { Warning } from './warning.ts';

export interface RequestTimes {
  /** When the request arrived, ms UTC. */
  receivedAt: number;
  /** When the client says it sent the request, ms UTC on its own clock. */
  sentAt: number | null;
}

/** Clocks run ahead and zones get lost; beyond this the time given cannot be meant. */
const MAX_AHEAD_MS = 23 * 3_600_000;

/** When the event happened by our clock. Falls back to the arrival time, with a warning, where that cannot be told. */
export function eventTime(raw: JsonObject, ignoreSentAt: boolean, clocks: RequestTimes, warnings: Warning[]): number {
  const told = reportedTime(raw, ignoreSentAt, clocks);
  if (told === undefined) {
    warnings.push({ type: 'ignored_invalid_timestamp', details: timeDetails(raw, clocks) });
    return clocks.receivedAt;
  }
  if (told <= clocks.receivedAt + MAX_AHEAD_MS) return told;
  warnings.push({ type: 'event_timestamp_in_future', details: { ...timeDetails(raw, clocks), result: told } });
  return clocks.receivedAt;
}

function reportedTime(raw: JsonObject, ignoreSentAt: boolean, clocks: RequestTimes): number | undefined {
  const { timestamp, offset } = raw;
  if (timestamp) return withSkew(parseTimestamp(timestamp), ignoreSentAt, clocks);
  // Queued browser events tell how long ago they happened, counted from the moment of sending.
  if (typeof offset === 'number' && offset !== 0) return withinSupportedYears(clocks.receivedAt - offset);
  return clocks.receivedAt;
}

/** The client's clock may be wrong, but it is wrong by the same amount in both of its readings. */
function withSkew(parsed: number | undefined, ignoreSentAt: boolean, clocks: RequestTimes): number | undefined {
  if (parsed === undefined || clocks.sentAt === null || ignoreSentAt) return parsed;
  return withinSupportedYears(parsed + (clocks.receivedAt - clocks.sentAt));
}

const timeDetails = (raw: JsonObject, clocks: RequestTimes): JsonObject => ({
  timestamp: preview(raw['timestamp']),
  offset: preview(raw['offset']),
  sentAt: clocks.sentAt,
  now: clocks.receivedAt,
});

/** Warnings quote at most a line of what was sent. */
const preview = (value: Json | undefined): Json => {
  if (typeof value === 'string') return value.slice(0, 100);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};
