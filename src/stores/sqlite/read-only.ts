import { rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';

interface ReadOnlyFile {
  db: Database.Database;
  close(): void;
}

/** Whether the file was not closed in peace: then its journal holds what the file does not. */
export const hasSqliteJournal = (path: string): boolean => ['-wal', '-journal'].some((end) => sizeOf(path + end) > 0);

/**
 * A file that nobody else has open, to be left exactly as it is. SQLite lays an empty journal beside it even for a
 * reader, and a reader is not allowed to take that away again: so we do.
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

/** What readers leave. Only for whoever holds the folder's lock. */
export function removeJournalFiles(path: string): void {
  if (hasSqliteJournal(path)) return;
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
