/** Writes one file of a run to a temporary file of this machine, with no more than a page of rows in memory. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createZstd } from '../../../lib/zstd.ts';
import type { EventStore } from '../../../stores/events/event-store.ts';
import type { ModelReader } from '../read/model-reader.ts';
import { type ExportDestination, NO_ZSTD } from '../rules/export-destination.ts';
import { ExportFailure } from '../targets/export-target.ts';

export interface WritePartDeps {
  writeParquet: EventStore['writeParquet'];
}

export interface WrittenPart {
  records: number;
  bytes: number;
  sha256: string;
  position: string;
}

const MAX_PART_ROWS = 500_000;
const PAGE = { rows: 2000, bytes: 4 * 1024 * 1024 };
const MEGABYTE = 1024 * 1024;

/** Null: there is nothing behind the position. */
export async function writePart(
  deps: WritePartDeps,
  reader: ModelReader,
  position: string | null,
  destination: ExportDestination,
  path: string,
): Promise<WrittenPart | null> {
  await rm(path, { force: true });
  const limits = { rows: MAX_PART_ROWS, bytes: destination.maxFileSizeMb * MEGABYTE };
  const written =
    destination.fileFormat === 'Parquet'
      ? await writeColumns(deps, reader, position, limits, destination, path)
      : await writeLines(reader, position, limits, destination, path);
  if (written === null) return null;
  return { ...written, bytes: (await stat(path)).size, sha256: await hashOf(path) };
}

type Rows = Pick<WrittenPart, 'records' | 'position'>;
type Limits = Parameters<ModelReader['next']>[1];

async function writeColumns(
  deps: WritePartDeps,
  reader: ModelReader,
  position: string | null,
  limits: Limits,
  { compression }: ExportDestination,
  path: string,
): Promise<Rows | null> {
  const slice = await reader.next(position, limits);
  if (slice === null) return null;
  const { sql, values } = slice.statement();
  return { records: await deps.writeParquet(sql, values, path, compression ?? 'snappy'), position: slice.position };
}

async function writeLines(
  reader: ModelReader,
  position: string | null,
  limits: Limits,
  { compression }: ExportDestination,
  path: string,
): Promise<Rows | null> {
  const page = { ...PAGE, bytes: Math.min(PAGE.bytes, limits.bytes) };
  const first = await reader.next(position, page);
  if (first === null) return null;
  const done = { records: 0, position: first.position };
  async function* pages(): AsyncGenerator<string> {
    let bytes = 0;
    for (let slice = first; slice !== null; ) {
      const lines = await slice.lines();
      done.records += lines.length;
      done.position = slice.position;
      const text = lines.map((line) => `${line}\n`).join('');
      bytes += text.length;
      yield text;
      if (bytes >= limits.bytes || done.records >= limits.rows) return;
      slice = await reader.next(slice.position, page);
    }
  }
  await pipeline([
    Readable.from(pages()),
    ...compressor(compression),
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  ]);
  return done;
}

function compressor(compression: ExportDestination['compression']): Transform[] {
  if (compression === null) return [];
  if (compression === 'gzip') return [createGzip()];
  if (createZstd === null) throw new ExportFailure(NO_ZSTD, { isFinal: true });
  return [createZstd()];
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
