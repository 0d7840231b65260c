import type { Json, JsonObject } from '../json/json.ts';

/** Event properties that are copied to the person: the latest value, and the first one as `$initial_…`. */
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
 * Whether events update a person property without a `$set`. The events themselves have these values, so they are left
 * out of the property history, of which they would be nine tenths.
 */
export const isImplicitKey = (key: string): boolean => IMPLICIT_KEYS.has(key);

/** These are not about a person and never update one. */
const NEVER_UPDATE: ReadonlySet<string> = new Set(['$exception', '$$heatmap', '$groupidentify']);

export const updatesPerson = (eventName: string): boolean => !NEVER_UPDATE.has(eventName);

interface ImplicitUpdates {
  /** The latest values, under their own names. */
  set: JsonObject;
  /** The first values, as `$initial_<name>`. */
  setOnce: JsonObject;
}

/** The person property with the first value of an event property; undefined where it is not copied. */
export const initialName = (key: string): string | undefined => INITIAL_NAME.get(key);

/**
 * The updates that follow from the properties of events, given in order: the last value of each, and the first. Null is
 * ignored: browsers send it for campaign parameters that a page does not have, and it must not erase earlier values.
 */
export function implicitUpdates(events: readonly JsonObject[]): ImplicitUpdates | undefined {
  const updates: ImplicitUpdates = { set: {}, setOnce: {} };
  let hasUpdates = false;
  const add = (key: string, initial: string, value: Json | undefined): void => {
    if (value === null || value === undefined) return;
    updates.set[key] = value;
    if (updates.setOnce[initial] === undefined) updates.setOnce[initial] = value;
    hasUpdates = true;
  };
  for (const properties of events) {
    for (const key in properties) {
      const initial = INITIAL_NAME.get(key);
      if (initial !== undefined) add(key, initial, properties[key]);
    }
    // Mobile SDKs call it `$os_name`.
    if (properties['$os'] === undefined) add('$os', '$initial_os', properties['$os_name']);
  }
  return hasUpdates ? updates : undefined;
}
