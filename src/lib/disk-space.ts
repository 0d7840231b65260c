/** How much a folder takes, and how much is free on its disk. */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

interface DiskSpace {
  dataBytes: number;
  freeBytes: number;
  totalBytes: number;
}

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map((entry) => sizeOf(join(entry.parentPath, entry.name)));
  const dataBytes = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
  return { dataBytes, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Stores create and delete temporary files; one that was just deleted takes nothing. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
