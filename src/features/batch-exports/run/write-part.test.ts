import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { makeTempDir } from '../../../../test/contract/temp-dir.ts';
import { createZstd } from '../../../lib/zstd.ts';
import type { ModelReader } from '../read/model-reader.ts';
import type { ExportDestination } from '../rules/export-destination.ts';
import { writePart } from './write-part.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

const ROWS = 5000;
const all = Array.from({ length: ROWS }, (_, n) => JSON.stringify({ uuid: n, event: 'ordered — größer', n: n % 7 }));

/** A thousand lines at a time. */
const reader: ModelReader = {
  async next(position) {
    const from = Number(position ?? 0);
    if (from >= ROWS) return null;
    const lines = all.slice(from, from + 1000);
    const fail = () => {
      throw new Error('no statement');
    };
    return { position: String(from + 1000), bytes: lines.join('').length, lines: async () => lines, statement: fail };
  },
  isOutdated: async () => false,
};
const deps = { writeParquet: () => Promise.reject(new Error('no Parquet')) };
const destination = (compression: ExportDestination['compression']): ExportDestination => ({
  type: 'Folder',
  prefix: '',
  fileFormat: 'JSONLines',
  compression,
  maxFileSizeMb: 64,
});

const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync(bytes: Buffer): Buffer };

const UNPACK: [ExportDestination['compression'], (bytes: Buffer) => Buffer][] = [
  [null, (bytes) => bytes],
  ['gzip', zlib.gunzipSync],
];
if (createZstd !== null) UNPACK.push(['zstd', zstdDecompressSync]);

describe('a file of JSON lines', () => {
  it.each(UNPACK)('compressed with %s has every row once', async (compression, unpack) => {
    const path = folder.path(`part-${compression}`);
    const part = await writePart(deps, reader, null, destination(compression), path);
    const bytes = readFileSync(path);
    expect(part).toEqual({
      records: ROWS,
      position: String(ROWS),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(unpack(bytes).toString()).toBe(all.map((line) => `${line}\n`).join(''));
    if (compression !== null) expect(bytes.length).toBeLessThan(all.join('').length / 5);
    expect(await writePart(deps, reader, String(ROWS), destination(compression), path)).toBeNull();
  });

  it.skipIf(createZstd !== null)('is not written where Node has no zstd', async () => {
    const written = writePart(deps, reader, null, destination('zstd'), folder.path('part-none'));
    await expect(written).rejects.toMatchObject({ isFinal: true, message: expect.stringContaining('22.15') });
  });
});
