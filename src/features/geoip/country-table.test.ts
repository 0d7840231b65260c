import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseIpAddress } from '../../lib/ip-address.ts';
import { countryPlace } from './country-place.ts';
import { CountryTable, readCountryFile, writeCountryFile } from './country-table.ts';
import { type CountryRange, packCountries } from './pack-countries.ts';

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
  const table = new CountryTable(readCountryFile(writeCountryFile(packCountries('2026-01-02', v4, v6))));

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

  it('says when it was made, and refuses a file that is cut off', () => {
    expect(table.date).toBe('2026-01-02');
    const file = writeCountryFile(packCountries('2026-01-02', v4, v6));
    expect(() => readCountryFile(file.subarray(0, -3))).toThrow();
  });
});

describe('the table that ships', () => {
  const ranges = readCountryFile(readFileSync(FILE));
  const table = new CountryTable(ranges);

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

  it.skipIf(!existsSync(LISTS))(
    'has the first and last address of every range of the list that nothing lies in',
    () => {
      const lines = readFileSync(`${LISTS}geo-whois-asn-country-ipv4-num.csv`, 'utf8').trimEnd().split('\n');
      const wrong: string[] = [];
      const address = parseIpAddress('0.0.0.0') ?? new Uint16Array(8);
      const isIn = (number: number, country: string | undefined): boolean => {
        address[6] = Math.floor(number / 65_536);
        address[7] = number % 65_536;
        return table.countryOf(address) === country;
      };
      const rows = lines.map((line) => line.split(','));
      for (const [i, [first = '', last = '', country]] of rows.entries()) {
        // Of two that start together the narrower one may come first.
        const hasInner = Number(rows[i + 1]?.[0]) <= Number(last) || rows[i - 1]?.[0] === first;
        // Reserved networks, which are left out, are tested above.
        if (hasInner || /^(?:0|10|127|169|172|192|198|100|203|2[2-5]\d)$/.test(String(Number(first) >>> 24))) continue;
        if (!isIn(Number(first), country) || !isIn(Number(last), country)) wrong.push(`${first}-${last}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});
