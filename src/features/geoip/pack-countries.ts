/**
 * Turns lists of ranges into the packed table. The lists are sorted, but some ranges lie within wider ones: the inner one
 * holds to its end, then the wider one again.
 */
import { isV4 } from '../../lib/ip-address.ts';
import type { CountryRanges } from './country-table.ts';
import { RESERVED_NETWORKS } from './reserved-networks.ts';

/** One range of a list: first and last address as whole numbers, and the country's code. */
export interface CountryRange {
  first: bigint;
  last: bigint;
  country: string;
}

/** From this address on it is this country. */
interface Boundary {
  start: bigint;
  country: string;
}

const NONE = '';
/** Codes in such lists that are no country: unknown, Tor, Europe, Asia and the Pacific. */
const NO_COUNTRIES = new Set(['ZZ', 'XX', 'T1', 'EU', 'AP', '']);
/** Of an IPv6 address, those behind the first 64. */
const HOST_BITS = 64n;

export function packCountries(date: string, v4: readonly CountryRange[], v6: readonly CountryRange[]): CountryRanges {
  const networks = v6.map(({ first, last, country }) => ({
    first: first >> HOST_BITS,
    last: last >> HOST_BITS,
    country,
  }));
  const [short, long] = [boundariesOf(v4, reserved(true)), boundariesOf(networks, reserved(false))];
  const countries = [NONE, ...new Set([...short, ...long].map(({ country }) => country))].filter(
    (code, i, all) => all.indexOf(code) === i,
  );
  const numbers = new Map(countries.map((code, i) => [code, i]));
  const ownersOf = (list: readonly Boundary[]) => Uint8Array.from(list, ({ country }) => numbers.get(country) ?? 0);
  return {
    date,
    countries,
    v4: { starts: Uint32Array.from(short, ({ start }) => Number(start)), owners: ownersOf(short) },
    v6: {
      high: Uint32Array.from(long, ({ start }) => Number(start >> 32n)),
      low: Uint32Array.from(long, ({ start }) => Number(start & 0xffff_ffffn)),
      owners: ownersOf(long),
    },
  };
}

function boundariesOf(ranges: readonly CountryRange[], without: readonly CountryRange[]): Boundary[] {
  const boundaries = without.reduce(paintOver, flatten(ranges));
  return boundaries.filter(({ country }, i) => country !== (boundaries[i - 1]?.country ?? NONE));
}

function flatten(ranges: readonly CountryRange[]): Boundary[] {
  const boundaries: Boundary[] = [];
  const add = (start: bigint, country: string): void => {
    if (boundaries.at(-1)?.start === start) boundaries.pop();
    boundaries.push({ start, country: NO_COUNTRIES.has(country) ? NONE : country });
  };
  /** Ranges that began and have not ended, from the widest to the innermost. */
  const open: CountryRange[] = [];
  const closeBefore = (address: bigint | undefined): void => {
    for (let top = open.at(-1); top && (address === undefined || top.last < address); top = open.at(-1)) {
      open.pop();
      // One that reaches further than the range around it has taken over from that.
      while (open.length > 0 && (open.at(-1)?.last ?? 0n) <= top.last) open.pop();
      add(top.last + 1n, open.at(-1)?.country ?? NONE);
    }
  };
  for (const range of ranges.toSorted(byStart)) {
    closeBefore(range.first);
    open.push(range);
    add(range.first, range.country);
  }
  closeBefore(undefined);
  return boundaries;
}

const byStart = (a: CountryRange, b: CountryRange): number =>
  a.first < b.first ? -1 : a.first > b.first ? 1 : b.last > a.last ? 1 : b.last < a.last ? -1 : 0;

function paintOver(boundaries: readonly Boundary[], { first, last, country }: CountryRange): Boundary[] {
  const before = boundaries.filter(({ start }) => start < first);
  const after = boundaries.filter(({ start }) => start > last);
  const inside = boundaries.filter(({ start }) => start <= last).at(-1)?.country ?? NONE;
  const next = after[0]?.start === last + 1n ? [] : [{ start: last + 1n, country: inside }];
  return [...before, { start: first, country }, ...next, ...after];
}

const reserved = (wantsV4: boolean): CountryRange[] =>
  RESERVED_NETWORKS.filter(({ address }) => isV4(address) === wantsV4).map(({ address, bits }) => {
    const groups = wantsV4 ? address.subarray(6) : address.subarray(0, 4);
    const first = groups.reduce((sum, group) => sum * 65_536n + BigInt(group), 0n);
    const free = BigInt(wantsV4 ? 128 - bits : 64 - bits);
    return { first, last: first + (1n << free) - 1n, country: NONE };
  });
