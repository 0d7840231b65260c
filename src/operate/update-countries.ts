/** Replaces the table of countries in the data folder. A running server reads it by itself. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findTableProblem } from '../features/geoip/check-countries.ts';
import { type CountryRanges, readCountryFile, writeCountryFile } from '../features/geoip/country-table.ts';
import { readCountrySource } from '../features/geoip/read-country-source.ts';
import { syncToDisk } from '../lib/sync-to-disk.ts';
import { DATA_FILES } from '../stores/data-files.ts';

export interface CountriesInUse {
  date: string;
  countries: number;
  ranges: number;
  /** Whether it is the one that ships with Cairn. */
  isShipped: boolean;
}

interface CountryFiles {
  dataDir: string;
  /** The table that ships with Cairn. */
  shipped: URL;
}

/** Larger by a fifth, but written in less than a second. */
const FAST = 5;

const describe = ({ date, countries, v4, v6 }: CountryRanges, isShipped: boolean): CountriesInUse => ({
  date,
  countries: countries.length - 1,
  ranges: v4.starts.length + v6.high.length,
  isShipped,
});

/** The newer one of the two, as the server chooses. */
export async function countriesInUse({ dataDir, shipped }: CountryFiles): Promise<CountriesInUse> {
  const own = await readFile(join(dataDir, DATA_FILES.countries)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const first = describe(await readCountryFile(await readFile(shipped)), true);
  const second = own === null ? first : describe(await readCountryFile(own), false);
  return second.date > first.date ? second : first;
}

/** Throws where `bytes` are not a newer table; the former one stays then. */
export async function updateCountries(files: CountryFiles, bytes: Buffer, now: number): Promise<CountriesInUse> {
  const ranges = await readCountrySource(bytes).catch((cause: unknown) => {
    throw new Error(
      'This is not a table of countries. Give a countries.br of a newer Cairn, or the .tgz of the npm package @ip-location-db/geo-whois-asn-country.',
      { cause },
    );
  });
  const problem = findTableProblem(ranges, new Date(now).toISOString().slice(0, 10));
  if (problem !== null) throw new Error(`The table of countries was not replaced: ${problem}.`);
  // One that is broken keeps nobody from replacing it.
  const inUse = await countriesInUse(files).catch(() => null);
  if (inUse !== null && ranges.date <= inUse.date) {
    const dates = `it is of ${ranges.date}, the one in use of ${inUse.date}`;
    throw new Error(`The table of countries was not replaced: ${dates}.`);
  }
  await replace(join(files.dataDir, DATA_FILES.countries), writeCountryFile(ranges, FAST));
  return describe(ranges, false);
}

/** The server never sees half of it. */
async function replace(path: string, bytes: Buffer): Promise<void> {
  const fresh = `${path}.new`;
  await writeFile(fresh, bytes, { mode: 0o600 });
  await syncToDisk(fresh);
  await rename(fresh, path);
  await syncToDisk(dirname(path));
}
