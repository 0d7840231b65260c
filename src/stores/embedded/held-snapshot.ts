import Database from 'better-sqlite3';

/** A database as it was at one moment, for as long as it is held: others go on writing, this view does not change. */
export interface HeldView {
  number(sql: string): number;
  copyTo(target: string): Promise<void>;
  close(): void;
}

/** So many pages are copied before others on this thread get their turn: about a millisecond. */
const PAGES_A_TURN = 256;
const PATIENCE_MS = 5000;

export function holdView(path: string): HeldView {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: PATIENCE_MS });
  // The view begins with the first read. A copy made within the transaction stays at that view and never starts over.
  database.exec('begin');
  database.prepare('select count(*) from sqlite_schema').get();
  return {
    number: (sql) => Number(database.prepare(sql).pluck().get() ?? 0),
    copyTo: async (target) => {
      await database.backup(target, { progress: () => PAGES_A_TURN });
    },
    close: () => database.close(),
  };
}
