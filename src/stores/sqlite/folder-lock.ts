import { join } from 'node:path';
import Database from 'better-sqlite3';

export interface FolderLock {
  release(): void;
}

/** Held here, or the garbage collector would close the file, and give up the lock, of a caller that forgot about it. */
const held = new Set<Database.Database>();

/**
 * One process per data folder. The lock is an exclusive transaction on a file that holds nothing else: the operating
 * system gives it up when the process ends, however it ends, so a crash never leaves a stale lock behind.
 */
export function lockFolder(folder: string): FolderLock {
  const database = new Database(join(folder, 'lock'), { timeout: 0 });
  try {
    database.pragma('journal_mode = delete');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw new FolderInUse(folder);
    throw error;
  }
  held.add(database);
  return {
    release() {
      held.delete(database);
      database.exec('rollback');
      database.close();
    },
  };
}

export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `Another Cairn process is using ${folder}. Stop it first, or give this one a folder of its own with DATA_DIR.`,
    );
    this.name = 'FolderInUse';
  }
}
