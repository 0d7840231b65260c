/** A file in MaxMind's format that the operator supplies: GeoLite2, DB-IP, IPinfo. */
import { Reader } from 'mmdb-lib';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { countryPlace } from './country-place.ts';

/** Look-ups take up to 25 µs, and most visitors send several requests. */
const CACHE_SIZE = 4096;

export class CityFile {
  readonly #reader: Reader<never>;
  readonly #cache = new Map<string, JsonObject | null>();

  /** Throws where it is no such file. */
  constructor(content: Buffer) {
    this.#reader = new Reader<never>(content);
    // Finds a file that is cut off.
    this.#reader.get('8.8.8.8');
  }

  placeOf(address: string): JsonObject | null {
    const cached = this.#cache.get(address);
    if (cached !== undefined) return cached;
    const place = readPlace(this.#find(address));
    if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
    this.#cache.set(address, place);
    return place;
  }

  /** A file without IPv6 throws for such addresses. */
  #find(address: string): unknown {
    try {
      return this.#reader.get(address);
    } catch {
      return null;
    }
  }
}

/** MaxMind's records are nested (`country.iso_code`); those of DB-IP's packages and IPinfo are flat (`country_code`). */
export function readPlace(record: unknown): JsonObject | null {
  if (!isJsonObject(record)) return null;
  const { country, city, location, postal, subdivisions } = record;
  const [region] = Array.isArray(subdivisions) ? subdivisions : [];
  const code = text(at(country, 'iso_code')) ?? text(record['country_code']) ?? text(country);
  if (code === undefined || !/^[A-Z]{2}$/.test(code)) return null;
  return withoutAbsent({
    ...countryPlace(code),
    $geoip_city_name: text(at(city, 'names', 'en')) ?? text(city),
    $geoip_subdivision_1_code: text(at(region, 'iso_code')) ?? text(record['region_code']),
    $geoip_subdivision_1_name: text(at(region, 'names', 'en')) ?? text(record['state1']) ?? text(record['region']),
    $geoip_postal_code: text(at(postal, 'code')) ?? text(record['postcode']) ?? text(record['postal_code']),
    $geoip_latitude: number(at(location, 'latitude')) ?? number(record['latitude']) ?? number(record['lat']),
    $geoip_longitude: number(at(location, 'longitude')) ?? number(record['longitude']) ?? number(record['lng']),
    $geoip_time_zone: text(at(location, 'time_zone')) ?? text(record['timezone']),
  });
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), value);
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Some files have numbers as text. */
function number(value: Json | undefined): number | undefined {
  const parsed = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
}

const withoutAbsent = (place: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(place).filter((entry): entry is [string, Json] => entry[1] !== undefined));
