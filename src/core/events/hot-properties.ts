import { stringifyExact } from '../json/exact-json.ts';
import type { Json } from '../json/json.ts';

/**
 * The properties that are queried most. The event store has a column for each, ten times faster to read than the JSON.
 * A change to this list needs a migration of every event store.
 */
export const HOT_PROPERTIES = [
  '$current_url',
  '$pathname',
  '$host',
  '$browser',
  '$os',
  '$device_type',
  '$referring_domain',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  '$session_id',
  '$screen_name',
  '$lib',
] as const;

type HotProperty = (typeof HOT_PROPERTIES)[number];

const HOT: ReadonlySet<string> = new Set(HOT_PROPERTIES);

export const isHotProperty = (key: string): key is HotProperty => HOT.has(key);

/** Each hot property as text, in the order of the list; null where the event lacks it. */
export function hotProperties(properties: Readonly<Record<string, Json>>): (string | null)[] {
  const texts: (string | null)[] = [];
  for (const key of HOT_PROPERTIES) texts.push(Object.hasOwn(properties, key) ? propertyText(properties[key]) : null);
  return texts;
}

/**
 * A property as filters compare it: strings as they are, anything else as JSON. Null counts as absent. Exponents have no
 * plus sign (`1e21`), as in the event stores.
 */
export function propertyText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return String(value).replace('e+', 'e');
  return typeof value === 'object' ? engineJson(stringifyExact(value)) : String(value);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|e\+/g;

/** JSON as the event stores print it: exponents as above, and the hex digits of control characters in capitals. */
function engineJson(json: string): string {
  if (!json.includes('e+') && !json.includes('\\u00')) return json;
  return json.replace(TOKEN, (token) => (token === 'e+' ? 'e' : token.replace(/\\(u00..|.)/g, capitalHex)));
}

const capitalHex = (escaped: string): string =>
  escaped.length === 6 ? `\\u00${escaped.slice(4).toUpperCase()}` : escaped;
