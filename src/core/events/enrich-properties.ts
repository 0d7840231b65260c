/** What the request tells about the visitor, added to the properties of an event. What the client says itself is kept. */
import type { Json, JsonObject } from '../json/json.ts';
import { UNNAMED_BOT } from '../user-agents/read-bot.ts';
import { readUserAgent } from '../user-agents/read-user-agent.ts';
import { isPageEvent } from './page-event.ts';

export interface VisitorFacts {
  /** `$geoip_…` of the address; undefined where nothing is known of it. */
  place?: JsonObject | undefined;
  /** The address is one of the project's own. */
  isOwnVisit?: boolean | undefined;
  /** Of the request's header. */
  userAgent?: string | undefined;
}

/** Place and own visit, where the event does not say them itself. */
export function addVisitor(properties: JsonObject, { place, isOwnVisit }: VisitorFacts): void {
  if (place !== undefined && mayBePlaced(properties)) addPlace(properties, place);
  if (isOwnVisit === true) properties['$internal_visit'] = true;
}

export function addPlace(properties: JsonObject, place: JsonObject): void {
  for (const key in place) properties[key] = place[key] ?? null;
}

/** Whether the place may be looked up: the client has not said one, and has not forbidden it. */
export function mayBePlaced(properties: JsonObject): boolean {
  for (const key in properties) {
    if (key.startsWith('$geoip_') && (key !== '$geoip_disable' || saysTrue(properties[key]))) return false;
  }
  return true;
}

export const saysTrue = (value: Json | undefined): boolean =>
  value === true || value === 1 || value === '1' || (typeof value === 'string' && value.toLowerCase() === 'true');

/** Browser, system and device, each where the event has not the key, and whether it is a bot. */
export function addUserAgent(name: string, properties: JsonObject, header: string | undefined): void {
  if (!isPageEvent(properties)) return;
  const { $raw_user_agent: own } = properties;
  const agent = typeof own === 'string' ? own : own === undefined ? header : undefined;
  const read = agent === undefined ? undefined : readUserAgent(agent);
  if (read !== undefined) addMissing(properties, read.device);
  const isSaid = properties['$browser_type'] === 'bot' || name === '$bot_pageview';
  const bot = read?.bot ?? (isSaid ? UNNAMED_BOT : undefined);
  if (bot !== undefined) addMissing(properties, bot);
}

function addMissing(properties: JsonObject, values: Readonly<Record<string, Json>>): void {
  for (const key in values) if (properties[key] === undefined) properties[key] = values[key] ?? null;
}
