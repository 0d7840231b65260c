import type { Json, JsonObject } from '../json/json.ts';

/** Where a visitor is. Those of one event belong together. */
const PLACE_PROPERTIES = [
  ...['$geoip_country_code', '$geoip_country_name', '$geoip_continent_code', '$geoip_continent_name'],
  ...['$geoip_city_name', '$geoip_subdivision_1_code', '$geoip_subdivision_1_name', '$geoip_postal_code'],
  ...['$geoip_latitude', '$geoip_longitude', '$geoip_time_zone'],
];

/** Event properties that are copied to the person: the latest value, and the first one as `$initial_…`. */
const TRACKED_PROPERTIES = [
  ...['$app_build', '$app_name', '$app_namespace', '$app_version', '$browser', '$browser_version', '$device_type'],
  ...['$current_url', '$pathname', '$os', '$os_version', '$referring_domain', '$referrer', '$raw_user_agent'],
  ...['$screen_height', '$screen_width', '$viewport_height', '$viewport_width'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_name', 'utm_term', 'gclid', 'fbclid', 'msclkid'],
  ...['gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'twclid', 'li_fat_id', 'mc_cid', 'igshid', 'ttclid'],
  ...['rdt_cid', 'irclid', '_kx', 'epik', 'qclid', 'sccid'],
  ...PLACE_PROPERTIES,
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
  /** What the latest place does not say: there is no city of Rome in Norway. */
  unset?: string[];
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
  let place: JsonObject | undefined;
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
    if (properties['$geoip_country_code'] !== undefined) place = properties;
    // Mobile SDKs call it `$os_name`.
    if (properties['$os'] === undefined) add('$os', '$initial_os', properties['$os_name']);
  }
  if (place !== undefined) updates.unset = removeOtherPlace(updates.set, place);
  return hasUpdates ? updates : undefined;
}

function removeOtherPlace(set: JsonObject, place: JsonObject): string[] {
  const unknown = PLACE_PROPERTIES.filter((key) => place[key] === undefined);
  for (const key of unknown) if (set[key] !== undefined) delete set[key];
  return unknown;
}
