import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { LogState } from '../ingest/ingest-log.ts';
import { type LogProgress, unprocessedSql } from '../ingest/log-progress.ts';
import { isCorruption } from './disk-failure.ts';

/**
 * The file of the ingest log: schema, settings and reporting of corruption.
 *
 * With `synchronous=FULL` a commit waits for the disk. `autoincrement` never reuses a number, even after everything was
 * trimmed. `secure_delete` is off: zeroing freed pages would write every payload twice, and the next entries overwrite
 * them anyway. When a person was deleted, `purge` rewrites the whole file.
 */
const VERSION = 2;

const SCHEMA = `
  create table entries (
    seq integer primary key autoincrement,
    project_id integer not null,
    received_at integer not null,
    events integer not null,
    context text not null,
    seed blob not null,
    payload blob not null
  );
  create table totals (accepted integer not null);
  insert into totals values (0)`;

/** So that each project's next entries are found, however many others are pending. */
const BY_PROJECT = 'create index entries_by_project on entries (project_id, seq)';

/** The journal is truncated to this size after a burst. */
export const JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** An empty file larger than this is shrunk at start, to return the space that an outage used. */
const SHRINK_ABOVE_BYTES = 64 * 1024 * 1024;

export interface LogFileOptions {
  /** Maximum size of the file; writes beyond it fail as on a full disk. */
  maxFileBytes?: number;
  /** New entries get higher numbers. If the file was lost, others still have its positions. */
  startAfter?: number;
  /** How many events were accepted at least, since others have processed them. */
  acceptedAtLeast?: number;
}

interface LogFile {
  db: Database.Database;
  state: LogState;
}

export function openLogFile(path: string, options: LogFileOptions = {}): LogFile {
  return reportCorruption(path, () => {
    const db = new Database(path);
    try {
      configure(db);
      migrate(db, path);
      shrinkIfEmpty(db);
      startAfter(db, options.startAfter ?? 0);
      db.prepare('update totals set accepted = max(accepted, ?)').run(options.acceptedAtLeast ?? 0);
      if (options.maxFileBytes !== undefined) limitSize(db, options.maxFileBytes);
      return { db, state: readState(db) };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

export function openLogFileForReading(path: string): Database.Database {
  return reportCorruption(path, () => new Database(path, { readonly: true, fileMustExist: true }));
}

export interface LogTotals {
  /** Events ever accepted. */
  accepted: number;
  /** Events of the entries that are not processed. */
  pending: number;
}

/** Both of the same moment. */
export const selectTotals = (db: Database.Database, progress: LogProgress): LogTotals =>
  db
    .prepare<[], LogTotals>(
      `select (select accepted from totals) as accepted,
        (select coalesce(sum(events), 0) from entries where ${unprocessedSql(progress)}) as pending`,
    )
    .get() ?? { accepted: 0, pending: 0 };

/** Of a log that is not open; null if there is none. */
export function readLogTotals(path: string, progress: LogProgress): LogTotals | null {
  if (!existsSync(path)) return null;
  return reportCorruption(path, () => {
    // Not read-only: the journal may have to be recovered.
    const db = new Database(path, { fileMustExist: true });
    try {
      return pragmaNumber(db, 'user_version') === 0 ? null : selectTotals(db, progress);
    } finally {
      db.close();
    }
  });
}

/** Does not read payloads: SQLite stores the length of a blob in the row's header. */
function readState(db: Database.Database): LogState {
  const sums = db.prepare<[], Omit<LogState, 'head'>>(`
    select (select accepted from totals) as accepted,
      count(*) as entries,
      coalesce(sum(events), 0) as events,
      coalesce(sum(length(payload)), 0) as bytes,
      (select received_at from entries order by seq limit 1) as oldestReceivedAt
    from entries`);
  const head = db.prepare<[], number>(`select seq from sqlite_sequence where name = 'entries'`).pluck();
  return { head: head.get() ?? 0, ...(sums.get() ?? EMPTY_STATE) };
}

const EMPTY_STATE = { accepted: 0, entries: 0, events: 0, bytes: 0, oldestReceivedAt: null };

function configure(db: Database.Database): void {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  db.pragma('secure_delete = off');
  db.pragma(`journal_size_limit = ${JOURNAL_LIMIT_BYTES}`);
  db.pragma('wal_autocheckpoint = 1000');
}

function migrate(db: Database.Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > VERSION) {
    throw new Error(
      `The ingest log ${path} was written by a newer version of Cairn (format ${version}, this one reads ${VERSION}).`,
    );
  }
  if (version === VERSION) return;
  db.transaction(() => {
    if (version === 0) db.exec(SCHEMA);
    db.exec(BY_PROJECT);
    db.pragma(`user_version = ${VERSION}`);
  })();
}

function startAfter(db: Database.Database, seq: number): void {
  const { changes } = db.prepare(`update sqlite_sequence set seq = max(seq, ?) where name = 'entries'`).run(seq);
  if (changes === 0) db.prepare(`insert into sqlite_sequence (name, seq) values ('entries', ?)`).run(seq);
}

function shrinkIfEmpty(db: Database.Database): void {
  const size = pragmaNumber(db, 'page_count') * pragmaNumber(db, 'page_size');
  if (size < SHRINK_ABOVE_BYTES) return;
  const entry = db.prepare('select 1 from entries limit 1').get();
  if (entry === undefined) db.exec('vacuum');
}

function limitSize(db: Database.Database, maxBytes: number): void {
  db.pragma(`max_page_count = ${Math.floor(maxBytes / pragmaNumber(db, 'page_size'))}`);
}

const pragmaNumber = (db: Database.Database, name: string): number => Number(db.pragma(name, { simple: true }));

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
