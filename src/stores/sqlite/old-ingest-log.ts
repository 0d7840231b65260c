/** Reads the ingest log of earlier versions, which was one SQLite file. */
import Database from 'better-sqlite3';
import type { LogEntry } from '../ingest/ingest-log.ts';
import { isCorruption } from './disk-failure.ts';

export interface OldIngestLog {
  /** The newest number that was given. */
  head: number;
  /** Events ever accepted. */
  accepted: number;
  /** Events of its entries. */
  pending: number;
  /** Oldest first. */
  entries(): Iterable<LogEntry>;
  close(): void;
}

const ENTRIES = `
  select seq, project_id as projectId, received_at as receivedAt, events, context, seed, payload
  from entries
  order by seq`;

/** Null if it was never used. */
export function openOldIngestLog(path: string): OldIngestLog | null {
  return reportCorruption(path, () => {
    // Not read-only: the journal may have to be recovered.
    const db = new Database(path, { fileMustExist: true });
    const number = (sql: string): number => Number(db.prepare(sql).pluck().get() ?? 0);
    try {
      if (number('pragma user_version') === 0) {
        db.close();
        return null;
      }
      return {
        head: number(`select seq from sqlite_sequence where name = 'entries'`),
        accepted: number('select accepted from totals'),
        pending: number('select sum(events) from entries'),
        entries: () => db.prepare<[], LogEntry>(ENTRIES).iterate(),
        close: () => void db.close(),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function reportCorruption<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isCorruption(error)) throw error;
    throw new Error(
      `The ingest log ${path} is damaged (${String(error)}). Restore it from a backup, or move it aside with its ` +
        '-wal and -shm files to start with an empty one; events that were not processed yet are then lost.',
      { cause: error },
    );
  }
}
