import Database from 'better-sqlite3';

/** A database as it was at one moment; later writes do not change it. */
export interface SnapshotView {
  readNumber(sql: string): number;
  copyTo(target: string): Promise<void>;
  close(): void;
}

/** Pages copied before the event loop continues: about a millisecond. */
const PAGES_PER_BATCH = 256;
const BUSY_TIMEOUT_MS = 5000;

export function openSnapshotView(path: string): SnapshotView {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  // The view starts with the first read. A backup within the transaction stays at that view and never restarts.
  database.exec('begin');
  database.prepare('select count(*) from sqlite_schema').get();
  return {
    readNumber: (sql) => Number(database.prepare(sql).pluck().get() ?? 0),
    copyTo: async (target) => {
      await database.backup(target, { progress: () => PAGES_PER_BATCH });
    },
    close: () => database.close(),
  };
}
