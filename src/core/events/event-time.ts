import type { Json, JsonObject } from '../json/json.ts';
import { parseTimestamp, withinYears } from '../time/parse-timestamp.ts';
import type { Warning } from './warning.ts';

export interface ClockFacts {
  /** When the request arrived, ms UTC. */
  receivedAt: number;
  /** When the client says it sent the request, ms UTC on its own clock. */
  sentAt: number | null;
}

/** Clocks run ahead and zones get lost; beyond this the time given cannot be meant. */
const FARTHEST_AHEAD = 23 * 3_600_000;

/** When the event happened by our clock. Falls back to the arrival time, with a warning, where that cannot be told. */
export function eventTime(raw: JsonObject, ignoreSentAt: boolean, clocks: ClockFacts, warnings: Warning[]): number {
  const told = toldTime(raw, ignoreSentAt, clocks);
  if (told === undefined) {
    warnings.push({ type: 'ignored_invalid_timestamp', details: timeDetails(raw, clocks) });
    return clocks.receivedAt;
  }
  if (told <= clocks.receivedAt + FARTHEST_AHEAD) return told;
  warnings.push({ type: 'event_timestamp_in_future', details: { ...timeDetails(raw, clocks), result: told } });
  return clocks.receivedAt;
}

function toldTime(raw: JsonObject, ignoreSentAt: boolean, clocks: ClockFacts): number | undefined {
  const { timestamp, offset } = raw;
  if (timestamp) return withSkew(parseTimestamp(timestamp), ignoreSentAt, clocks);
  // Queued browser events tell how long ago they happened, counted from the moment of sending.
  if (typeof offset === 'number' && offset !== 0) return withinYears(clocks.receivedAt - offset);
  return clocks.receivedAt;
}

/** The client's clock may be wrong, but it is wrong by the same amount in both of its readings. */
function withSkew(parsed: number | undefined, ignoreSentAt: boolean, clocks: ClockFacts): number | undefined {
  if (parsed === undefined || clocks.sentAt === null || ignoreSentAt) return parsed;
  return withinYears(parsed + (clocks.receivedAt - clocks.sentAt));
}

const timeDetails = (raw: JsonObject, clocks: ClockFacts): JsonObject => ({
  timestamp: shown(raw['timestamp']),
  offset: shown(raw['offset']),
  sentAt: clocks.sentAt,
  now: clocks.receivedAt,
});

/** Warnings quote at most a line of what was sent. */
const shown = (value: Json | undefined): Json => {
  if (typeof value === 'string') return value.slice(0, 100);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};
