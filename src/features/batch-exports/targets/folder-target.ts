/**
 * A folder of the server, below the operator's `EXPORT_DIR`, one for each project. Links are never followed: whoever may
 * set an export must not reach what else the server can write to.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExportFailure, type ExportTarget } from './export-target.ts';

/** Beside the file, so that a rename is enough. */
const UNFINISHED = '.unfinished';

export function folderTarget(exportDir: string, projectId: number): ExportTarget {
  const project = `project-${projectId}`;
  return {
    async put(name, { path }) {
      const target = await openPath(exportDir, join(project, name));
      const unfinished = `${target}${UNFINISHED}`;
      await rm(unfinished, { force: true });
      const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
      const [source, file] = [await open(path), await open(unfinished, flags, 0o640)];
      try {
        await pipeline(source.createReadStream({ autoClose: false }), file.createWriteStream({ flush: true }));
      } finally {
        await source.close();
        await file.close().catch(() => undefined);
      }
      await rename(unfinished, target);
      await syncFolder(dirname(target));
    },
    async delete(name) {
      await rm(await openPath(exportDir, join(project, name)), { force: true });
    },
    abort: async () => undefined,
  };
}

/** Makes the folders of a file, each a real one, and returns its path. */
async function openPath(exportDir: string, name: string): Promise<string> {
  const root = await realpath(exportDir).catch((cause: unknown) => {
    throw new ExportFailure('the folder EXPORT_DIR of the server cannot be opened', { cause });
  });
  const steps = name.split(sep);
  let folder = root;
  for (const step of steps.slice(0, -1)) {
    if (step === '..' || step === '.' || step === '') throw new ExportFailure('its path is invalid', { isFinal: true });
    folder = join(folder, step);
    await mkdir(folder, { mode: 0o750 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(folder)).isDirectory())
      throw new ExportFailure('part of its path is a link or a file, and those are not followed', { isFinal: true });
  }
  return join(folder, steps.at(-1) ?? '');
}

/** So that the name is on disk, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
