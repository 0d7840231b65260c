/**
 * Where an IP address is, from files: countries ship with Cairn, cities come from a file that the operator supplies
 * (`GEOIP_FILE`). Files that change are read again. Nothing is asked of other servers.
 */
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../core/json/json.ts';
import { formatIpAddress, isInNetwork, parseIpAddress } from '../../lib/ip-address.ts';
import type { Logger } from '../../lib/log.ts';
import { CityFile } from './city-file.ts';
import { countryPlace } from './country-place.ts';
import { packedCountryTable } from './country-table.ts';
import { RESERVED_NETWORKS } from './reserved-networks.ts';

interface GeoipOptions {
  /** The table that ships with Cairn. */
  shippedCountries: URL;
  /** Where a newer one may be, or come (`cairn geoip update`). */
  ownCountries: string;
  /** In MaxMind's format; null: countries only. */
  cityFile: string | null;
  logger: Logger;
  /** How often files are looked at. */
  watchIntervalMs?: number;
}

type Countries = Awaited<ReturnType<typeof packedCountryTable>>;

const WATCH_INTERVAL_MS = 5000;

export class Geoip {
  #countries: Countries;
  readonly #options: GeoipOptions;
  #cities: CityFile | null = null;
  readonly #watched: string[] = [];

  private constructor(options: GeoipOptions, countries: Countries) {
    this.#options = options;
    this.#countries = countries;
  }

  /** Throws where a file that is there cannot be read. */
  static async open(options: GeoipOptions): Promise<Geoip> {
    const geoip = new Geoip(options, await readCountries(options));
    geoip.#watch(options.ownCountries, 'The table of countries', async () => {
      geoip.#countries = await readCountries(options);
    });
    const { cityFile } = options;
    if (cityFile !== null) {
      geoip.#cities = await readCities(cityFile);
      geoip.#watch(cityFile, 'GEOIP_FILE', async () => {
        geoip.#cities = await readCities(cityFile);
      });
    }
    return geoip;
  }

  /** When the country data was made, `2026-06-17`. */
  get countriesDate(): string {
    return this.#countries.date;
  }

  /** Properties of an event from this address; null where nothing is known of it. */
  placeOf(text: string): JsonObject | null {
    const address = parseIpAddress(text);
    if (address === undefined) return null;
    if (this.#cities !== null && !RESERVED_NETWORKS.some((network) => isInNetwork(address, network))) {
      return this.#cities.placeOf(formatIpAddress(address));
    }
    const country = this.#countries.countryOf(address);
    return country === undefined ? null : countryPlace(country);
  }

  close(): void {
    for (const file of this.#watched) unwatchFile(file);
  }

  /** While the new file is broken or absent, the old one stays. */
  #watch(file: string, what: string, read: () => Promise<void>): void {
    const { logger, watchIntervalMs = WATCH_INTERVAL_MS } = this.#options;
    this.#watched.push(file);
    watchFile(file, { persistent: false, interval: watchIntervalMs }, (now, before) => {
      // Node reports once that there is no file.
      if (now.mtimeMs === before.mtimeMs && now.size === before.size) return;
      read().then(
        () => logger.info({ file }, `${what} has changed and was read again`),
        (err: unknown) =>
          logger.warn({ err, file }, `${what} has changed and cannot be read: the former one stays in use`),
      );
    });
  }
}

/** The newer one of the two. */
async function readCountries({ shippedCountries, ownCountries }: GeoipOptions): Promise<Countries> {
  const tables = await Promise.all([shippedCountries, ownCountries].map(readTable));
  const [newest] = tables.flatMap((table) => table ?? []).toSorted((a, b) => (a.date < b.date ? 1 : -1));
  if (newest === undefined) throw new Error('The table of countries is missing: build it with `npm run build`.');
  return newest;
}

async function readTable(file: string | URL): Promise<Countries | null> {
  try {
    return await packedCountryTable(await readFile(file));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${file} is not a table of countries. Remove it to use the one that ships with Cairn.`, { cause });
  }
}

async function readCities(file: string): Promise<CityFile> {
  try {
    return new CityFile(await readFile(file));
  } catch (cause) {
    throw new Error(`GEOIP_FILE=${file} cannot be read: it must be a file in MaxMind's format (.mmdb).`, { cause });
  }
}
