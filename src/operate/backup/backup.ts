/** Streams a snapshot of the data folder; the command writes it to a file. */
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { packFiles } from '../../lib/tar.ts';
import type { FolderSnapshots } from '../../stores/folder-snapshots.ts';
import { type EventLoss, readOpenLosses } from '../../stores/metadata/event-losses.ts';
import type { Operation, OperationOutput } from '../operation.ts';
import { MANIFEST, type Manifest, makeManifest } from './manifest.ts';

/** For events that arrive meanwhile. */
const RESERVED_BYTES = 256 * 1024 * 1024;

export const createBackup: Operation<object, Manifest> = async ({ snapshots, clock }, _args, outlet) => {
  if (snapshots === null) throw notEmbedded();
  await requireDiskSpace(snapshots);
  return snapshots.inWorkFolder(async (folder) => {
    outlet.progress({ what: 'copying the stores', done: 0, total: null });
    const at = clock.now();
    const counts = await snapshots.take(folder);
    const { needed } = await snapshots.diskSpace();
    return sendArchive(folder, (files) => makeManifest(at, counts, files), outlet, needed);
  });
};

/** Called when the file is complete and verified. A copy of what has a gap is not the backup to count on. */
export const recordBackup: Operation<{ at: string; file: string }, { losses: EventLoss[] }> = async (
  { metadata },
  { at, file },
) => {
  const losses = await readOpenLosses(metadata.installation);
  await metadata.installation.set(LAST_BACKUP_FILE, file);
  if (losses.length === 0) await metadata.installation.set(LAST_BACKUP, at);
  return { losses };
};

async function sendArchive(
  folder: string,
  manifestOf: (files: Manifest['files']) => Manifest,
  outlet: OperationOutput,
  total: number,
): Promise<Manifest> {
  let manifest: Manifest | undefined;
  const archive = packFiles(folder, await listFiles(folder), (files) => {
    manifest = manifestOf(files);
    return { name: MANIFEST, text: JSON.stringify(manifest, null, 2) };
  });
  let done = 0;
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    outlet.signal.throwIfAborted();
    await outlet.write(chunk);
    done += chunk.length;
    outlet.progress({ what: 'sending', done, total: Math.max(total, done) });
  }
  if (!manifest) throw new Error('The archive ended without its manifest.');
  return manifest;
}

/** Also those in folders, by their path. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return paths.map((path) => relative(folder, path)).sort();
}

async function requireDiskSpace(snapshots: FolderSnapshots): Promise<void> {
  const { needed, free } = await snapshots.diskSpace();
  if (free > needed + RESERVED_BYTES) return;
  const mb = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  throw new Failure(
    'unavailable',
    `A backup needs ${mb(needed + RESERVED_BYTES)} of free disk space, and ${mb(free)} are free.`,
  );
}

const notEmbedded = (): Failure =>
  new Failure(
    'invalid',
    'This server stores its data in PostgreSQL and ClickHouse: back them up with their own tools (pg_dump or a base backup; ' +
      'BACKUP DATABASE), PostgreSQL first. `cairn backup` is for a data folder.',
  );

/** The key in the installation store for the time of the last verified backup. */
export const LAST_BACKUP = 'last_backup_at';
/** Where the last one was written to. */
export const LAST_BACKUP_FILE = 'last_backup_file';
