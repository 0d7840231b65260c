import { toJsonText } from '../json/clean-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { cleanText, isBlank, truncateText } from '../json/text.ts';

const MAX_EVENT_NAME_LENGTH = 200;

/** Messages of Segment's clients may have only a `type`. */
const NAME_BY_TYPE: ReadonlyMap<unknown, string> = new Map([
  ['alias', '$create_alias'],
  ['identify', '$identify'],
  ['page', '$page'],
  ['screen', '$screen'],
]);

/** The event's name; undefined where it has none. Truncated, not trimmed; values other than strings become JSON. */
export function eventName(raw: JsonObject, isEngage: boolean): string | undefined {
  const given = givenName(raw['event']);
  if (given !== undefined) return given;
  // Old browser SDKs post bare `$set` objects to /engage/.
  return NAME_BY_TYPE.get(raw['type']) ?? (isEngage ? '$identify' : undefined);
}

function givenName(value: Json | undefined): string | undefined {
  if (typeof value === 'string')
    return isBlank(value) ? undefined : truncateText(cleanText(value), MAX_EVENT_NAME_LENGTH);
  if (isNotGiven(value)) return undefined;
  const text = toJsonText(value);
  return text === undefined ? undefined : truncateText(cleanText(text), MAX_EVENT_NAME_LENGTH);
}

/** What PostHog takes for absent: null, false, 0, and empty strings, lists and objects. */
export function isNotGiven(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return !value;
}
