/** What a session is: the rules of time, for events in the order in which they happened. */
import { DAY_MS, MINUTE_MS } from '../time/units.ts';

/** Without a session id, a pause longer than this begins a new session. */
export const MAX_PAUSE_MS = 30 * MINUTE_MS;
/** And so does an event later than this after the first. */
export const MAX_SESSION_MS = DAY_MS;

interface TimedEvent {
  uuid: string;
  /** Ms UTC. */
  at: number;
}

/** Events of one person without long pauses, in order → the ids of those that begin another session. */
export function sessionBreaks(events: readonly TimedEvent[]): string[] {
  const breaks: string[] = [];
  let first = events[0]?.at ?? 0;
  for (const { uuid, at } of events) {
    if (at - first <= MAX_SESSION_MS) continue;
    breaks.push(uuid);
    first = at;
  }
  return breaks;
}

/** Texts that clients send where they have no session id. */
export const NO_SESSION_IDS = ['undefined', 'null', '0', 'false', 'nan'] as const;
export const MAX_SESSION_ID_LENGTH = 200;

/** Whether a text is the id of a session. */
export const isSessionId = (text: string): boolean =>
  text !== '' && text.length <= MAX_SESSION_ID_LENGTH && !/^(?:[{[]|(?:undefined|null|0|false|nan)$)/i.test(text);
