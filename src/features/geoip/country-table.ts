/**
 * Countries of IP addresses in four megabytes: where each range starts, and whose it is until the next one. Of IPv6 the
 * first 64 bits count, the network of one customer.
 *
 * As a file it is compressed: a line of JSON, then the starts of IPv4, the upper and the lower halves of those of IPv6,
 * each a number of 32 bits (little-endian), then one byte of country for each start.
 */
import { promisify } from 'node:util';
import {
  brotliCompressSync,
  brotliDecompress as brotliDecompressCallback,
  brotliDecompressSync,
  constants,
} from 'node:zlib';
import { type IpAddress, isV4 } from '../../lib/ip-address.ts';

export interface CountryRanges {
  /** When the data was made, `2026-06-17`. */
  date: string;
  /** Codes; the first is empty: no country. */
  countries: readonly string[];
  v4: { starts: Uint32Array; owners: Uint8Array };
  v6: { high: Uint32Array; low: Uint32Array; owners: Uint8Array };
}

interface Header {
  date: string;
  countries: string[];
  v4: number;
  v6: number;
}

const NEW_LINE = 10;
const FIRST_HALVES = 65_536;

export class CountryTable {
  readonly date: string;
  readonly #ranges: CountryRanges;
  #v4Index: Uint32Array | null = null;
  #v6Index: Uint32Array | null = null;

  constructor(ranges: CountryRanges) {
    this.date = ranges.date;
    this.#ranges = ranges;
  }

  /** ISO 3166 code; undefined where the address has none. */
  countryOf(address: IpAddress): string | undefined {
    const { countries, v4, v6 } = this.#ranges;
    const owner = isV4(address) ? v4.owners[this.#findV4(address)] : v6.owners[this.#findV6(address)];
    return countries[owner ?? 0] || undefined;
  }

  /** The last range that starts at the address or before it; −1 where there is none. */
  #findV4(address: IpAddress): number {
    const [first = 0, second = 0] = [address[6], address[7]];
    const { starts } = this.#ranges.v4;
    this.#v4Index ??= indexOf(starts);
    const wanted = first * FIRST_HALVES + second;
    let [low, high] = [(this.#v4Index[first] ?? 0) - 1, (this.#v4Index[first + 1] ?? 0) - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= wanted) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #findV6(address: IpAddress): number {
    const first = address[0] ?? 0;
    const { high: upper, low: lower } = this.#ranges.v6;
    this.#v6Index ??= indexOf(upper);
    const wantedHigh = first * FIRST_HALVES + (address[1] ?? 0);
    const wantedLow = (address[2] ?? 0) * FIRST_HALVES + (address[3] ?? 0);
    let [low, high] = [(this.#v6Index[first] ?? 0) - 1, (this.#v6Index[first + 1] ?? 0) - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const start = upper[middle] ?? 0;
      if (start < wantedHigh || (start === wantedHigh && (lower[middle] ?? 0) <= wantedLow)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/**
 * For each first half of an IPv4 address (first group of an IPv6 one) the first range that starts there or later. Made
 * with the first address: most processes and threads start long before one comes, or never see any.
 */
function indexOf(starts: Uint32Array): Uint32Array {
  const index = new Uint32Array(FIRST_HALVES + 1).fill(starts.length);
  for (let i = starts.length - 1, half = FIRST_HALVES; half >= 0; half--) {
    while (i >= 0 && (starts[i] ?? 0) >= half * FIRST_HALVES) i--;
    index[half] = i + 1;
  }
  return index;
}

/** The best compression takes seconds. */
export function writeCountryFile(
  { date, countries, v4, v6 }: CountryRanges,
  quality: number = constants.BROTLI_MAX_QUALITY,
): Buffer {
  const header: Header = { date, countries: [...countries], v4: v4.starts.length, v6: v6.high.length };
  const arrays = [v4.starts, v6.high, v6.low, v4.owners, v6.owners];
  const bytes = Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    ...arrays.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: quality },
  });
}

const brotliDecompress = promisify(brotliDecompressCallback);
const MAX_BYTES = 64 * 1024 * 1024;
const LIMITS = { maxOutputLength: MAX_BYTES };

/** Throws where it is not such a file, or incomplete. */
export async function readCountryFile(file: Buffer): Promise<CountryRanges> {
  return readRanges(await brotliDecompress(file, LIMITS));
}

/**
 * A table that stays compressed, a fifth of its memory, until the first address: unpacking takes some 20 ms, once. Throws
 * where it is not such a file, or incomplete.
 */
export async function packedCountryTable(file: Buffer): Promise<Pick<CountryTable, 'date' | 'countryOf'>> {
  const { date } = readHeader(await brotliDecompress(file, LIMITS));
  let table: CountryTable | null = null;
  return {
    date,
    countryOf(address) {
      table ??= new CountryTable(readRanges(brotliDecompressSync(file, LIMITS)));
      return table.countryOf(address);
    },
  };
}

function readHeader(bytes: Buffer): Header & { end: number } {
  const end = bytes.indexOf(NEW_LINE);
  const header: Header = JSON.parse(bytes.toString('utf8', 0, end));
  if (bytes.length !== end + 1 + 5 * header.v4 + 9 * header.v6)
    throw new Error('The table of countries is incomplete.');
  return { ...header, end };
}

function readRanges(bytes: Buffer): CountryRanges {
  const { date, countries, v4, v6, end } = readHeader(bytes);
  // Copied, since arrays of larger numbers must begin at a multiple of their size.
  const content = new Uint8Array(bytes.subarray(end + 1)).buffer;
  return {
    date,
    countries,
    v4: { starts: new Uint32Array(content, 0, v4), owners: new Uint8Array(content, 4 * v4 + 8 * v6, v4) },
    v6: {
      high: new Uint32Array(content, 4 * v4, v6),
      low: new Uint32Array(content, 4 * v4 + 4 * v6, v6),
      owners: new Uint8Array(content, 5 * v4 + 8 * v6, v6),
    },
  };
}
