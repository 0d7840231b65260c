import { mkdirSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskSpace } from '../../lib/disk-space.ts';
import { DATA_FILES } from '../data-files.ts';
import type { FolderSnapshots } from '../folder-snapshots.ts';

/** Snapshots of the data folder whose lock this process holds. */
export function folderSnapshots(dataDir: string, take: FolderSnapshots['take']): FolderSnapshots {
  const workFolder = join(dataDir, DATA_FILES.work);
  // Left by a process that was killed.
  rmSync(workFolder, { recursive: true, force: true });
  mkdirSync(workFolder, { mode: 0o700 });
  return {
    workFolder,
    take,
    async diskSpace() {
      const sizes = await Promise.all(
        [DATA_FILES.metadata, DATA_FILES.log, DATA_FILES.events].map((file) => sizeOf(join(dataDir, file))),
      );
      return { needed: sizes.reduce((sum, size) => sum + size, 0), free: (await diskSpace(dataDir)).freeBytes };
    },
  };
}

const sizeOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
