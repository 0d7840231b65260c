/** The data folder and everything in it is for the user that runs the server, and nobody else. */
import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from './data-files.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * For folders of earlier versions. Only Cairn's own files: the folder may hold others. What belongs to another user cannot
 * be changed, and is left as it is.
 */
export function protectFolder(folder: string): void {
  protect(folder, FOLDER_MODE);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (isOurs(entry.name)) protectEntry(folder, entry);
  }
}

/** Journals and the like have the name of their file and a suffix. */
const isOurs = (name: string): boolean => Object.values(DATA_FILES).some((file) => name.startsWith(file));

function protectEntry(folder: string, entry: Dirent): void {
  const path = join(folder, entry.name);
  if (entry.isFile()) protect(path, FILE_MODE);
  if (!entry.isDirectory()) return;
  protect(path, FOLDER_MODE);
  for (const inner of readdirSync(path, { withFileTypes: true })) protectEntry(path, inner);
}

function protect(path: string, mode: number): void {
  try {
    if ((lstatSync(path).mode & OTHERS) !== 0) chmodSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: another process has removed it meanwhile.
    if (code !== 'EPERM' && code !== 'ENOENT' && code !== 'EROFS') throw error;
  }
}
