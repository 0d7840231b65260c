/** A file that gets its name only when it is complete. */
import { accessSync, constants, statSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../lib/is-running.ts';
import { syncToDisk } from '../lib/sync-to-disk.ts';
import { UsageError } from './command.ts';

export interface PartialFile {
  /** Its path until then. */
  path: string;
  /** Syncs it to disk and renames it. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** What a command was writing when it was killed; the number is its process. */
const LEFTOVER = /(?:\.cairn-(\d+)\.partial(?:\.ndjson)?|^\.cairn-verify-(\d+))$/;

/** In the same folder, since a rename across disks is not atomic. */
export async function partialFile(target: string): Promise<PartialFile> {
  requireFolder(dirname(target));
  await removeLeftovers(dirname(target));
  const path = `${target}.cairn-${process.pid}.partial`;
  return {
    path,
    async finish() {
      // Whatever wrote it may have made it readable to others.
      await chmod(path, 0o600);
      await syncToDisk(path);
      await rename(path, target);
      await syncToDisk(dirname(target));
    },
    discard: () => rm(path, { force: true }),
  };
}

function requireFolder(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`There is no folder ${folder}. Create it first, or choose another one.`);
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new UsageError(`This user may not write to ${folder}. Choose another folder, or change its permissions.`);
  }
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, file, verification] = LEFTOVER.exec(basename(name)) ?? [];
    const owner = Number(file ?? verification);
    if (owner > 0 && !isRunning(owner)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
