/** Reads a table of countries as operators get it: packed, as in a release of Cairn, or as the npm package of its lists. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unpackFiles } from '../../lib/tar.ts';
import { type CountryRanges, readCountryFile } from './country-table.ts';
import { readCountryLists } from './read-country-lists.ts';

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Throws where it is neither. */
export async function readCountrySource(bytes: Buffer): Promise<CountryRanges> {
  if (!isGzip(bytes)) return readCountryFile(bytes);
  const folder = await mkdtemp(join(tmpdir(), 'cairn-countries-'));
  try {
    const isInPackage = (name: string): boolean => /^package\/[\w.-]+$/.test(name);
    await unpackFiles(Readable.from([bytes]).pipe(createGunzip()), folder, isInPackage);
    return readCountryLists(join(folder, 'package'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
