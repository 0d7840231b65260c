/** Whether a table of countries is what it should be, before it replaces the one in use. */
import { parseIpAddress } from '../../lib/ip-address.ts';
import { type CountryRanges, CountryTable } from './country-table.ts';

/** A third of what such tables have: one that is cut off, or of something else, has fewer. */
const MIN_RANGES = { v4: 100_000, v6: 80_000 };
const MIN_COUNTRIES = 200;

/** Institutions that do not move: universities and registries. One may have changed its address. */
const LANDMARKS: readonly (readonly [address: string, country: string])[] = [
  ['129.132.19.216', 'CH'],
  ['193.0.6.139', 'NL'],
  ['18.9.22.69', 'US'],
  ['131.111.150.25', 'GB'],
  ['130.54.0.1', 'JP'],
  ['2001:67c:2e8:22::c100:68b', 'NL'],
];
const MAX_MOVED = 1;

/** What is wrong with it; null where nothing is. */
export function findTableProblem(ranges: CountryRanges, today: string): string | null {
  const { date, countries, v4, v6 } = ranges;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) return `its date "${date}" is none`;
  if (date > today) return `it is of ${date}, which is in the future`;
  if (countries.length - 1 < MIN_COUNTRIES) return `it has only ${countries.length - 1} countries`;
  const wrong = countries.slice(1).find((code) => !/^[A-Z]{2}$/.test(code));
  if (wrong !== undefined) return `"${wrong}" is not the code of a country`;
  if (v4.starts.length < MIN_RANGES.v4) return `it has only ${v4.starts.length} ranges of IPv4`;
  if (v6.high.length < MIN_RANGES.v6) return `it has only ${v6.high.length} ranges of IPv6`;
  if (![v4.owners, v6.owners].every((owners) => owners.every((owner) => owner < countries.length))) {
    return 'a range has a country that it does not name';
  }
  if (!isAscending(v4.starts.length, (i) => v4.starts[i] ?? 0)) return 'its ranges of IPv4 are not in order';
  // Both halves fit into a number only roughly, which is enough to see whether they are sorted.
  const wholeV6 = (i: number): number => (v6.high[i] ?? 0) * 2 ** 20 + (v6.low[i] ?? 0) / 2 ** 12;
  if (!isAscending(v6.high.length, wholeV6)) return 'its ranges of IPv6 are not in order';
  return findMoved(new CountryTable(ranges));
}

function isAscending(length: number, valueAt: (index: number) => number): boolean {
  for (let i = 1; i < length; i++) if (valueAt(i) < valueAt(i - 1)) return false;
  return true;
}

function findMoved(table: CountryTable): string | null {
  const moved = LANDMARKS.filter(([text, country]) => {
    const address = parseIpAddress(text);
    return address === undefined || table.countryOf(address) !== country;
  });
  if (moved.length <= MAX_MOVED) return null;
  return `it has known addresses in other countries: ${moved.map(([address]) => address).join(', ')}`;
}
