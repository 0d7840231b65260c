import { isRecording } from '../../../core/events/special-events.ts';
import type { JsonObject } from '../../../core/json/json.ts';

interface Events {
  events: readonly JsonObject[];
  payload?: Buffer;
}

/** Recordings are large and not stored: only their names are logged, so that they are counted. */
export function withoutRecordings({ events, payload }: Events): Events {
  if (events.some((event) => !isRecording(event['event']))) return payload ? { events, payload } : { events };
  return { events: events.map(({ event = null }) => ({ event })) };
}
