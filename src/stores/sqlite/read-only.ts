import { rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';

interface ReadOnlyFile {
  db: Database.Database;
  close(): void;
}

/** Whether the file was not closed cleanly, so that its journal has more data. */
export const hasSqliteJournal = (path: string): boolean => ['-wal', '-journal'].some((end) => sizeOf(path + end) > 0);

/**
 * Opens a file that nobody else uses and leaves it unchanged. SQLite creates an empty journal even for a reader, which
 * may not delete it: so we do.
 */
export function openReadOnly(path: string): ReadOnlyFile {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  return {
    db,
    close() {
      db.close();
      removeJournalFiles(path);
    },
  };
}

/** Only for the holder of the folder's lock. */
function removeJournalFiles(path: string): void {
  if (hasSqliteJournal(path)) return;
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
