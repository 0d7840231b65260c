import { isJsonObject, type Json, type JsonObject } from '../events/json.ts';
import type { PropertyUpdate } from './apply-properties.ts';

/** Event properties that tell something lasting about the person: the latest value and the first one are kept. */
const LASTING = [
  ...['$app_build', '$app_name', '$app_namespace', '$app_version', '$browser', '$browser_version', '$device_type'],
  ...['$current_url', '$pathname', '$os', '$os_version', '$referring_domain', '$referrer', '$raw_user_agent'],
  ...['$screen_height', '$screen_width', '$viewport_height', '$viewport_width'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_name', 'utm_term', 'gclid', 'fbclid', 'msclkid'],
  ...['gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'twclid', 'li_fat_id', 'mc_cid', 'igshid', 'ttclid'],
  ...['rdt_cid', 'irclid', '_kx', 'epik', 'qclid', 'sccid'],
];

const withoutDollar = (key: string): string => (key.startsWith('$') ? key.slice(1) : key);

const INITIAL_NAME: ReadonlyMap<string, string> = new Map(
  LASTING.map((key) => [key, `$initial_${withoutDollar(key)}`] as const),
);

/** Whether a person property is kept up by events on their own, without anybody setting it. */
export const isImplicitKey = (key: string): boolean => INITIAL_NAME.has(key);

/** These are about a failure or a pointer, not about a person; they never write one. */
const NEVER_UPDATE: ReadonlySet<string> = new Set(['$exception', '$$heatmap', '$groupidentify']);

export const updatesPerson = (eventName: string): boolean => !NEVER_UPDATE.has(eventName);

/**
 * What the event changes on its person, explicit and implicit, also written into the event's own `$set` and `$set_once`
 * so that the stored event shows it. The latest value beats an explicit `$set`; an explicit `$set_once` beats the
 * `$initial_` value, because browsers send the true first value there with an `$identify`.
 */
export function takeUpdates(properties: JsonObject): PropertyUpdate {
  const set: JsonObject = { ...objectOrNone(properties['$set']) };
  const setOnce: JsonObject = {};
  for (const key of Object.keys(properties)) {
    const initial = INITIAL_NAME.get(key);
    if (initial !== undefined) add(set, setOnce, key, initial, properties[key] ?? null);
  }
  // Mobile SDKs know the system by another name.
  if (properties['$os'] === undefined && properties['$os_name'] !== undefined) {
    add(set, setOnce, '$os', '$initial_os', properties['$os_name']);
  }
  Object.assign(setOnce, objectOrNone(properties['$set_once']));
  if (!isEmpty(set)) properties['$set'] = set;
  if (!isEmpty(setOnce)) properties['$set_once'] = setOnce;
  return { set, setOnce, unset: properties['$unset'] };
}

function add(set: JsonObject, setOnce: JsonObject, key: string, initial: string, value: Json): void {
  if (value === null) return;
  set[key] = value;
  setOnce[initial] = value;
}

const objectOrNone = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

function isEmpty(object: JsonObject): boolean {
  for (const key in object) return key === undefined;
  return true;
}
