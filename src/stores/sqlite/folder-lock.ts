import { join } from 'node:path';
import Database from 'better-sqlite3';

export interface FolderLock {
  release(): void;
}

/** Referenced here, so that the garbage collector does not close the file and release the lock. */
const held = new Set<Database.Database>();

/**
 * One process per data folder. The lock is an exclusive transaction on an otherwise empty file: the operating system
 * releases it when the process ends, so a crash never leaves a stale lock.
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
