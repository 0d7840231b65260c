import { mkdirSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskSpace } from '../../lib/disk-space.ts';
import { isRunning } from '../../lib/is-running.ts';
import { DATA_FILES } from '../data-files.ts';
import type { FolderSnapshots } from '../folder-snapshots.ts';

/** What `cairn restore` unpacks a backup into. */
const RESTORE_FOLDER = /^\.restore-(\d+)$/;

/** Snapshots of the data folder whose lock this process holds. */
export async function folderSnapshots(
  dataDir: string,
  newName: () => string,
  take: FolderSnapshots['take'],
): Promise<FolderSnapshots> {
  const workFolder = join(dataDir, DATA_FILES.work);
  const inUse = new Set<string>();
  const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
  const removeLeftovers = async (): Promise<number> => {
    for (const name of await readdir(workFolder)) if (!inUse.has(name)) await remove(join(workFolder, name));
    for (const name of await readdir(dataDir)) {
      const owner = RESTORE_FOLDER.exec(name)?.[1];
      if (owner !== undefined && !isRunning(Number(owner))) await remove(join(dataDir, name));
    }
    return inUse.size;
  };
  mkdirSync(workFolder, { recursive: true, mode: 0o700 });
  // Left by a process that was killed.
  await removeLeftovers();
  return {
    take,
    removeLeftovers,
    async inWorkFolder(work) {
      const name = newName();
      inUse.add(name);
      try {
        await mkdir(join(workFolder, name), { mode: 0o700 });
        return await work(join(workFolder, name));
      } finally {
        await remove(join(workFolder, name));
        inUse.delete(name);
      }
    },
    async diskSpace() {
      const segments = await readdir(join(dataDir, DATA_FILES.log));
      const files = [DATA_FILES.metadata, DATA_FILES.events, ...segments.map((name) => join(DATA_FILES.log, name))];
      const sizes = await Promise.all(files.map((file) => sizeOf(join(dataDir, file))));
      return { needed: sizes.reduce((sum, size) => sum + size, 0), free: (await diskSpace(dataDir)).freeBytes };
    },
  };
}

const sizeOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
