/**
 * Counts and checksums that do not depend on the order of rows: the first 64 bits of the MD5 of each row, added up as two
 * numbers of 32 bits. Every engine can compute them, and a missing, changed or duplicate row changes them.
 */
import { hash } from 'node:crypto';

interface Checksum {
  count: number;
  high: bigint;
  low: bigint;
}

export type Checksums = Map<string, Checksum>;

export function addText(sums: Checksums, key: string, text: string): void {
  const digest = hash('md5', text, 'buffer');
  addChecksum(sums, key, { count: 1, high: BigInt(digest.readUInt32LE(4)), low: BigInt(digest.readUInt32LE(0)) });
}

export function addChecksum(sums: Checksums, key: string, { count, high, low }: Checksum): void {
  const known = sums.get(key);
  if (known === undefined) {
    sums.set(key, { count, high, low });
    return;
  }
  known.count += count;
  known.high += high;
  known.low += low;
}

/** The keys that differ, in order. */
export function differences(here: Checksums, there: Checksums): string[] {
  const keys = new Set([...here.keys(), ...there.keys()]);
  return [...keys]
    .filter((key) => !isSame(here.get(key), there.get(key)))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

const isSame = (a: Checksum | undefined, b: Checksum | undefined): boolean =>
  a !== undefined && b !== undefined && a.count === b.count && a.high === b.high && a.low === b.low;

export const totalCount = (sums: Checksums): number => [...sums.values()].reduce((sum, { count }) => sum + count, 0);
