/** A file that gets its name only when it is complete. */
import { chmod, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface PartialFile {
  /** Its path until then. */
  path: string;
  /** Syncs it to disk and renames it. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** In the same folder, since a rename across disks is not atomic. */
export function partialFile(target: string): PartialFile {
  const path = `${target}.partial`;
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

export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
