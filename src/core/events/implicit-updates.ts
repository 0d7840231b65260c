import type { Json, JsonObject } from '../json/json.ts';

/** Event properties that tell something lasting about the person: the latest value and the first one are kept. */
const TRACKED_PROPERTIES = [
  ...['$app_build', '$app_name', '$app_namespace', '$app_version', '$browser', '$browser_version', '$device_type'],
  ...['$current_url', '$pathname', '$os', '$os_version', '$referring_domain', '$referrer', '$raw_user_agent'],
  ...['$screen_height', '$screen_width', '$viewport_height', '$viewport_width'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_name', 'utm_term', 'gclid', 'fbclid', 'msclkid'],
  ...['gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'twclid', 'li_fat_id', 'mc_cid', 'igshid', 'ttclid'],
  ...['rdt_cid', 'irclid', '_kx', 'epik', 'qclid', 'sccid'],
];

const withoutDollar = (key: string): string => (key.startsWith('$') ? key.slice(1) : key);

const INITIAL_NAME: ReadonlyMap<string, string> = new Map(
  TRACKED_PROPERTIES.map((key) => [key, `$initial_${withoutDollar(key)}`] as const),
);

const IMPLICIT_KEYS: ReadonlySet<string> = new Set([...INITIAL_NAME.keys(), ...INITIAL_NAME.values()]);

/**
 * Whether a person property is kept up by events on their own, without anybody setting it. Every event carries these
 * values itself, so their past is in the events; written to the history too, they would be nine tenths of it.
 */
export const isImplicitKey = (key: string): boolean => IMPLICIT_KEYS.has(key);

/** About a failure, a pointer or a group, not about a person: they never write one. */
const NEVER_UPDATE: ReadonlySet<string> = new Set(['$exception', '$$heatmap', '$groupidentify']);

export const updatesPerson = (eventName: string): boolean => !NEVER_UPDATE.has(eventName);

interface ImplicitUpdates {
  /** The latest values, under their own names. */
  set: JsonObject;
  /** The first values, as `$initial_<name>`. */
  setOnce: JsonObject;
}

/** The first value that an event property leaves on its person goes by this name; undefined where it leaves none. */
export const initialName = (key: string): string | undefined => INITIAL_NAME.get(key);

/**
 * What the properties of some events, in order, say about their person without being asked: the last value of each, and
 * the first. Null says nothing: browsers send it for campaign parameters that a page does not have, and it must not
 * wipe what an earlier page told.
 */
export function implicitUpdates(tellings: readonly JsonObject[]): ImplicitUpdates | undefined {
  const updates: ImplicitUpdates = { set: {}, setOnce: {} };
  let tells = false;
  const add = (key: string, initial: string, value: Json | undefined): void => {
    if (value === null || value === undefined) return;
    updates.set[key] = value;
    if (updates.setOnce[initial] === undefined) updates.setOnce[initial] = value;
    tells = true;
  };
  for (const properties of tellings) {
    for (const key in properties) {
      const initial = INITIAL_NAME.get(key);
      if (initial !== undefined) add(key, initial, properties[key]);
    }
    // Mobile SDKs know the system by another name.
    if (properties['$os'] === undefined) add('$os', '$initial_os', properties['$os_name']);
  }
  return tells ? updates : undefined;
}
