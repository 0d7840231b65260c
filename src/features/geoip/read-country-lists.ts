/** Reads the lists of the npm package `@ip-location-db/geo-whois-asn-country` (CC BY 4.0), from which the table is packed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CountryRanges } from './country-table.ts';
import { type CountryRange, packCountries } from './pack-countries.ts';

const LISTS = { v4: 'geo-whois-asn-country-ipv4-num.csv', v6: 'geo-whois-asn-country-ipv6-num.csv' };

/** `folder`: of the package. */
export function readCountryLists(folder: string): CountryRanges {
  const { version = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return packCountries(dateOf(version), readList(join(folder, LISTS.v4)), readList(join(folder, LISTS.v6)));
}

/** `2.3.2026061719` is of 2026-06-17. */
function dateOf(version: string): string {
  const digits = /\.(\d{4})(\d{2})(\d{2})\d{0,2}$/.exec(version);
  if (digits === null) throw new Error(`"${version}" is not a version of the package, such as 2.3.2026061719.`);
  return digits.slice(1).join('-');
}

const readList = (file: string): CountryRange[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [first = '', last = '', country = ''] = line.split(',');
      return { first: BigInt(first), last: BigInt(last), country: country.trim() };
    });
