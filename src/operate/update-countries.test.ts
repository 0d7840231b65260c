import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CountryRanges, readCountryFile, writeCountryFile } from '../features/geoip/country-table.ts';
import { Geoip } from '../features/geoip/geoip.ts';
import { readCountrySource } from '../features/geoip/read-country-source.ts';
import { openLog } from '../lib/log.ts';
import { packFiles } from '../lib/tar.ts';
import { countriesInUse, updateCountries } from './update-countries.ts';

const SHIPPED = new URL('../features/geoip/data/countries.br', import.meta.url);
const TABLE = await readCountryFile(readFileSync(SHIPPED));
const NOW = Date.UTC(2030, 0, 15);
const ETH = '129.132.19.216';

/** Everything that is Swiss is Austrian. */
const moved = (ranges: CountryRanges): CountryRanges => ({
  ...ranges,
  countries: ranges.countries.map((code) => ({ CH: 'AT', NL: 'BE', AT: 'CH', BE: 'NL' })[code] ?? code),
});
const written = (changes: Partial<CountryRanges> = {}): Buffer =>
  writeCountryFile({ ...TABLE, date: '2030-01-02', ...changes }, 1);

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-countries-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));
const update = (bytes: Buffer) => updateCountries({ dataDir, shipped: SHIPPED }, bytes, NOW);

describe('a new table of countries', () => {
  it('replaces the one that ships, and then a former one', async () => {
    expect(await countriesInUse({ dataDir, shipped: SHIPPED })).toMatchObject({ date: TABLE.date, isShipped: true });
    expect(await update(written())).toEqual({
      date: '2030-01-02',
      countries: TABLE.countries.length - 1,
      ranges: TABLE.v4.starts.length + TABLE.v6.high.length,
      isShipped: false,
    });
    await update(written({ date: '2030-01-03' }));
    expect(await countriesInUse({ dataDir, shipped: SHIPPED })).toMatchObject({ date: '2030-01-03', isShipped: false });
    expect(readdirSync(dataDir)).toEqual(['countries.br']);
  });

  it.each([
    ['no table', Buffer.from('<html>not found</html>'), /not a table of countries/],
    ['one that is cut off', written().subarray(0, -100), /not a table of countries/],
    ['one that is not newer', written({ date: TABLE.date }), /the one in use of/],
    ['one of the future', written({ date: '2031-01-01' }), /in the future/],
    ['one without a date', written({ date: 'yesterday' }), /is none/],
    ['one of few countries', written({ countries: ['', 'DE', 'FR'] }), /only 2 countries/],
    ['one with a name for a code', written({ countries: TABLE.countries.with(5, 'Germany') }), /not the code/],
    ['one of few ranges', written({ v4: { starts: new Uint32Array(9), owners: new Uint8Array(9) } }), /only 9 ranges/],
    [
      'one that is out of order',
      written({ v4: { ...TABLE.v4, starts: TABLE.v4.starts.toReversed() } }),
      /IPv4 are not in order/,
    ],
    ['one that has known addresses elsewhere', written(moved(TABLE)), /in other countries: 129\.132\.19\.216/],
  ])('is refused where it is %s, and the former stays', async (_, bytes, reason) => {
    await expect(update(bytes)).rejects.toThrow(reason);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('may be the npm package of its lists', async () => {
    mkdirSync(join(dataDir, 'package'));
    const files = {
      'package/README.md': 'Hello',
      'package/geo-whois-asn-country-ipv4-num.csv': '16777216,16777471,AU\n',
      'package/geo-whois-asn-country-ipv6-num.csv': `${0x2a00n << 112n},${(0x2a01n << 112n) - 1n},DE\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dataDir, name), text);
    const manifest = { name: 'package/package.json', text: '{"version": "2.3.2030010203"}' };
    const chunks: Buffer[] = [];
    for await (const chunk of packFiles(dataDir, Object.keys(files), () => manifest)) chunks.push(chunk);
    const { date, countries, v4 } = await readCountrySource(gzipSync(Buffer.concat(chunks)));
    expect({ date, countries, starts: [...v4.starts] }).toEqual({
      date: '2030-01-02',
      countries: ['', 'AU', 'DE'],
      starts: [16777216, 16777472],
    });
  });

  it('is read by a running server, which keeps the former one where a file is broken', async () => {
    const file = join(dataDir, 'countries.br');
    const logger = openLog('silent');
    const info = vi.spyOn(logger, 'info');
    const geoip = await Geoip.open({
      shippedCountries: SHIPPED,
      ownCountries: file,
      cityFile: null,
      logger,
      watchIntervalMs: 20,
    });
    try {
      expect(geoip.placeOf(ETH)?.['$geoip_country_code']).toBe('CH');
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(info, 'a file that was never there has not changed').not.toHaveBeenCalled();
      await update(written());
      await vi.waitFor(() => expect(geoip.countriesDate).toBe('2030-01-02'), { timeout: 10_000 });
      writeFileSync(file, 'broken');
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(geoip.countriesDate).toBe('2030-01-02');
      expect(geoip.placeOf(ETH)?.['$geoip_country_code']).toBe('CH');
      writeFileSync(file, written({ ...moved(TABLE), date: '2030-01-05' }));
      await vi.waitFor(() => expect(geoip.placeOf(ETH)?.['$geoip_country_code']).toBe('AT'), { timeout: 10_000 });
    } finally {
      geoip.close();
    }
  });
});
