import type { JsonObject } from '../../core/json/json.ts';
import { once } from '../../core/once.ts';
import { continentOf } from './continents.ts';

const names = once(() => new Intl.DisplayNames('en', { type: 'region' }));

/** There are few codes, and every captured request needs one. */
const known = new Map<string, JsonObject>();

/** The properties of an event from this country. The same object each time: do not change it. */
export function countryPlace(code: string): JsonObject {
  const place = known.get(code) ?? newPlace(code);
  known.set(code, place);
  return place;
}

function newPlace(code: string): JsonObject {
  const continent = continentOf(code);
  return {
    $geoip_country_code: code,
    $geoip_country_name: (names().of(code) ?? code).replace(/ SAR China$/, ''),
    ...(continent && { $geoip_continent_code: continent.code, $geoip_continent_name: continent.name }),
  };
}
