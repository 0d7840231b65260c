/**
 * What is remembered of a cookieless visitor for as long as the salt of their day exists: how often they signed in, and
 * their current session. It gives their events the ids that cookies give others.
 */
import type { Event } from '../events/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { endOfCookielessDay, isOpenDay } from './cookieless-day.ts';
import { COOKIELESS_ID, cookielessSessionId, cookielessVisitorId } from './cookieless-id.ts';

interface CookielessSession {
  /** Which of the visitor's ids has the session: the number of sign-ins before it. */
  signIns: number;
  id: string;
  lastAt: number;
}

export interface CookielessVisitor {
  projectId: number;
  base: string;
  expiresAt: number;
  signIns: number;
  /** When they last did; 0 if never. */
  signedInAt: number;
  /** Of the current id and the one before it. */
  sessions: readonly CookielessSession[];
}

/** What an event is logged with; its ids follow when it is processed. */
interface CookielessMark {
  base: string;
  day: string;
}

const FIELD = '$cairn_cookieless';

export const markCookieless = (event: JsonObject, { base, day }: CookielessMark): JsonObject => ({
  ...event,
  [FIELD]: { base, day },
});

/** Who sent a logged event; undefined where it was not sent without cookies, or its day is over. */
export function cookielessVisitorOf(
  raw: JsonObject,
  { projectId, receivedAt }: Pick<Event, 'projectId' | 'receivedAt'>,
): CookielessVisitor | undefined {
  const mark = raw[FIELD];
  if (mark === undefined || !isJsonObject(mark)) return undefined;
  const { base, day } = mark;
  if (typeof base !== 'string' || typeof day !== 'string' || !isOpenDay(day, receivedAt)) return undefined;
  return { projectId, base, expiresAt: endOfCookielessDay(day), signIns: 0, signedInAt: 0, sessions: [] };
}

/** What decides which partition of a log processes the event; undefined for other events. */
export function cookielessBaseOf(raw: JsonObject): string | undefined {
  const mark = raw[FIELD];
  const base = mark !== undefined && isJsonObject(mark) ? mark['base'] : undefined;
  return typeof base === 'string' ? base : undefined;
}

const SESSION_GAP_MS = 30 * 60_000;

/** The event with its ids, and the visitor as they are after it. */
export function identifyCookieless(
  visitor: CookielessVisitor,
  event: Event,
): { event: Event; visitor: CookielessVisitor } {
  const after = event.event === '$identify' ? signedIn(visitor, event.timestamp) : visitor;
  const own = ownSignIns(after, event);
  const id = cookielessVisitorId(visitor.base, own);
  const session = sessionAt(visitor, own, event.timestamp);
  const properties: Record<string, Json> = { ...event.properties, $session_id: session.id };
  for (const key of ['distinct_id', '$anon_distinct_id']) if (properties[key] === COOKIELESS_ID) properties[key] = id;
  const distinctId = event.distinctId === COOKIELESS_ID ? id : event.distinctId;
  const others = visitor.sessions.filter((one) => one.signIns !== own && one.signIns >= after.signIns - 1);
  return { event: { ...event, distinctId, properties }, visitor: { ...after, sessions: [...others, session] } };
}

const signedIn = (visitor: CookielessVisitor, time: number): CookielessVisitor => ({
  ...visitor,
  signIns: visitor.signIns + 1,
  signedInAt: Math.max(visitor.signedInAt, time),
});

/**
 * A sign-in, and what follows it under the id that the site gives, belong to the visit before it. So does what was
 * captured before the sign-in: browsers send that at once, and the rest later.
 */
function ownSignIns({ signIns, signedInAt }: CookielessVisitor, event: Event): number {
  const isNext = event.distinctId === COOKIELESS_ID && event.event !== '$identify' && event.timestamp >= signedInAt;
  return isNext ? signIns : Math.max(signIns - 1, 0);
}

function sessionAt({ base, sessions }: CookielessVisitor, signIns: number, time: number): CookielessSession {
  const last = sessions.find((one) => one.signIns === signIns);
  if (last !== undefined && time - last.lastAt <= SESSION_GAP_MS) {
    return { ...last, lastAt: Math.max(last.lastAt, time) };
  }
  return { signIns, id: cookielessSessionId(base, signIns, time), lastAt: time };
}
