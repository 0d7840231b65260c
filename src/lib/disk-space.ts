/** How much a folder takes, and how much is free on its disk. */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

interface DiskSpace {
  dataBytes: number;
  /** The sizes of the files and folders in it, by name. */
  parts: ReadonlyMap<string, number>;
  freeBytes: number;
  totalBytes: number;
}

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const parts = new Map<string, number>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const [part = ''] = relative(folder, path).split(sep);
    parts.set(part, (parts.get(part) ?? 0) + (await sizeOf(path)));
  }
  const dataBytes = [...parts.values()].reduce((sum, bytes) => sum + bytes, 0);
  return { dataBytes, parts, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** From 0 to 1. */
export async function freeDiskShare(folder: string): Promise<number> {
  const { blocks, bavail } = await statfs(folder);
  return bavail / blocks;
}

/** Stores create and delete temporary files; one that was just deleted takes nothing. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
