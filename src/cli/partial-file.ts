/** A file that appears under its name only when it is whole. */
import { chmod, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface PartialFile {
  /** Where it grows. */
  path: string;
  /** Puts it on disk, and in its place. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Beside its place, since a file cannot be moved to another disk in one step. */
export function partialFile(target: string): PartialFile {
  const path = `${target}.partial`;
  return {
    path,
    async finish() {
      // Whoever wrote it may have left it open to others.
      await chmod(path, 0o600);
      await syncToDisk(path);
      await rename(path, target);
      await syncToDisk(dirname(target));
    },
    discard: () => rm(path, { force: true }),
  };
}

export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
