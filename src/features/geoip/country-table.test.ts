import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { isInNetwork, parseIpAddress } from '../../lib/ip-address.ts';
import { countryPlace } from './country-place.ts';
import { type CountryRanges, CountryTable, readCountryFile, writeCountryFile } from './country-table.ts';
import { type CountryRange, packCountries } from './pack-countries.ts';
import { RESERVED_NETWORKS } from './reserved-networks.ts';

const FILE = new URL('./data/countries.br', import.meta.url);
const LISTS = new URL('../../../node_modules/@ip-location-db/geo-whois-asn-country/', import.meta.url).pathname;

const numberOf = (text: string): bigint =>
  [...(parseIpAddress(text) ?? [])]
    .slice(text.includes(':') ? 0 : 6)
    .reduce((sum, part) => sum * 65_536n + BigInt(part), 0n);
const range = (first: string, last: string, country: string): CountryRange => ({
  first: numberOf(first),
  last: numberOf(last),
  country,
});
const countryIn = (table: CountryTable, text: string): string | undefined => {
  const address = parseIpAddress(text);
  return address && table.countryOf(address);
};

describe('a packed table', () => {
  const v4 = [
    range('1.0.0.0', '1.255.255.255', 'AU'),
    range('1.0.0.0', '1.0.0.255', 'CN'),
    range('1.2.0.0', '1.3.255.255', 'JP'),
    range('1.2.3.0', '1.2.3.255', 'FR'),
    range('2.0.0.0', '2.0.0.255', 'ZZ'),
    range('192.0.0.0', '192.255.255.255', 'US'),
  ];
  const v6 = [
    range('2a00::', '2a00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'DE'),
    range('2a00:1::', '2a00:1::ffff', 'AT'),
  ];
  const file = writeCountryFile(packCountries('2026-01-02', v4, v6));
  let table: CountryTable;
  beforeAll(async () => {
    table = new CountryTable(await readCountryFile(file));
  });

  it.each([
    ['0.255.255.255', undefined],
    ['1.0.0.255', 'CN'],
    ['1.0.1.0', 'AU'],
    ['1.1.255.255', 'AU'],
    ['1.2.2.255', 'JP'],
    ['1.2.3.0', 'FR'],
    ['1.2.4.0', 'JP'],
    ['1.4.0.0', 'AU'],
    ['1.255.255.255', 'AU'],
    ['2.0.0.7', undefined],
    ['192.167.255.255', 'US'],
    ['192.168.0.1', undefined],
    ['192.169.0.0', 'US'],
    ['255.255.255.255', undefined],
    ['2a00::1', 'DE'],
    ['2a00:1::1', 'AT'],
    ['2a00:1:0:1::', 'DE'],
    ['2a01::', undefined],
    ['::1', undefined],
  ])('has %s in %s: inner ranges hold to their end, reserved networks are nobody’s', (text, country) => {
    expect(countryIn(table, text)).toBe(country);
  });

  it('says when it was made, and refuses a file that is cut off', async () => {
    expect(table.date).toBe('2026-01-02');
    await expect(readCountryFile(file.subarray(0, -3))).rejects.toThrow();
  });
});

describe('the table that ships', () => {
  let ranges: CountryRanges;
  let table: CountryTable;
  beforeAll(async () => {
    ranges = await readCountryFile(readFileSync(FILE));
    table = new CountryTable(ranges);
  });

  it('names every country and its continent', () => {
    const places = ranges.countries.slice(1).map((code) => [code, countryPlace(code)] as const);
    expect(places.length).toBeGreaterThan(240);
    for (const [code, place] of places) {
      expect(place['$geoip_country_name']).not.toBe(code);
      expect([code, place['$geoip_continent_code']]).toEqual([code, expect.stringMatching(/^..$/)]);
    }
    expect(countryPlace('HK')).toEqual({
      $geoip_country_code: 'HK',
      $geoip_country_name: 'Hong Kong',
      $geoip_continent_code: 'AS',
      $geoip_continent_name: 'Asia',
    });
  });

  it.skipIf(!existsSync(LISTS)).each([
    ['IPv4', 'geo-whois-asn-country-ipv4-num.csv'],
    ['IPv6', 'geo-whois-asn-country-ipv6-num.csv'],
  ])(
    'has the owner of the first and last address of every range of the %s list, and of their neighbours',
    (kind, name) => {
      const isV4 = kind === 'IPv4';
      const address = new Uint16Array(parseIpAddress(isV4 ? '0.0.0.0' : '::') ?? []);
      const [firstGroup, groups] = isV4 ? [6, 2] : [0, 4];
      const isWrong = (point: bigint, country: string | undefined): boolean => {
        for (let i = 0; i < groups; i++) {
          address[firstGroup + i] = Number((point >> BigInt(16 * (groups - 1 - i))) & 0xffffn);
        }
        const found = table.countryOf(address);
        if (found === country) return false;
        // Reserved networks are nobody's, whatever the list says.
        return found !== undefined || !RESERVED_NETWORKS.some((network) => isInNetwork(address, network));
      };
      const wrong: string[] = [];
      const points = forEachEdge(
        readList(`${LISTS}${name}`, isV4 ? 0n : 64n),
        1n << (isV4 ? 32n : 64n),
        (point, country) => {
          if (isWrong(point, country)) wrong.push(`${point} is not ${country}`);
        },
      );
      expect(points).toBeGreaterThan(800_000);
      expect(wrong).toEqual([]);
    },
  );
});

const NO_COUNTRY = new Set(['ZZ', 'XX', 'T1', 'EU', 'AP', '']);

interface ListedRange extends CountryRange {
  /** Of IPv6, finer than a network of 64 bits: the table rounds such ranges. */
  isFine: boolean;
}

const readList = (file: string, hostBits: bigint): ListedRange[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [from = '', to = '', country = ''] = line.split(',');
      const [first, last] = [BigInt(from), BigInt(to)];
      const isFine = last - first + 1n < 1n << hostBits;
      return { first: first >> hostBits, last: last >> hostBits, country: country.trim(), isFine };
    });

/**
 * Says whose the addresses around the edges of ranges are: of the ranges that hold one, that which starts last, then the
 * narrowest. Returns how many there were.
 */
function forEachEdge(
  ranges: readonly ListedRange[],
  end: bigint,
  check: (point: bigint, country: string | undefined) => void,
): number {
  const rounded = new Set(ranges.flatMap(({ first, last, isFine }) => (isFine ? [first, last] : [])));
  const whole = ranges.filter(({ isFine }) => !isFine);
  const sorted = whole.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : a.last > b.last ? -1 : 1));
  const edges = whole.flatMap(({ first, last }) => [first === 0n ? first : first - 1n, first, last, last + 1n]);
  const points = BigUint64Array.from(edges.filter((point) => point < end)).sort();
  let next = 0;
  let holding: ListedRange[] = [];
  for (const [i, point] of points.entries()) {
    if (point === points[i - 1]) continue;
    for (let range = sorted[next]; range && range.first <= point; range = sorted[++next]) holding.push(range);
    if (holding.some(({ last }) => last < point)) holding = holding.filter(({ last }) => last >= point);
    const country = holding.at(-1)?.country ?? '';
    if (!rounded.has(point)) check(point, NO_COUNTRY.has(country) ? undefined : country);
  }
  return points.length;
}
