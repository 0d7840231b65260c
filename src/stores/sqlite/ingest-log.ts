import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestLog, LogState, NewLogEntry } from '../ingest/ingest-log.ts';
import { unavailable } from '../unavailable.ts';
import { diskFailure } from './disk-failure.ts';
import { JOURNAL_LIMIT_BYTES, type LogFileOptions, openLogFile } from './ingest-log-file.ts';
import { createLogWriter, type LogWriter } from './log-writer.ts';

/**
 * The embedded ingest log: one SQLite file, written by the thread that serves HTTP.
 *
 * Entries of one turn of the event loop are written in one transaction with one sync, so under load many requests share
 * a sync and without load none waits. The same transaction also trims a small batch.
 */
interface IngestLogOptions extends LogFileOptions {
  /** Maximum size of pending payloads. */
  maxBytes: number;
  /** Maximum number of pending events; default: unlimited. */
  maxEvents?: number;
}

/** Limits of one transaction, so that no turn of the event loop takes long. */
const MAX_GROUP_ENTRIES = 500;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

/** A journal of this size means that readers have blocked checkpoints: then we wait briefly for them. */
const MAX_JOURNAL_BYTES = 4 * JOURNAL_LIMIT_BYTES;
const FLUSHES_PER_JOURNAL_CHECK = 256;
const BUSY_TIMEOUT_MS = 50;

const MAX_PURGE_BYTES = 16 * 1024 * 1024;
const MAX_TRUNCATE_TRIES = 100;
const TRUNCATE_INTERVAL_MS = 10;

interface PendingEntry {
  entry: NewLogEntry;
  resolve(seq: number): void;
  reject(error: unknown): void;
}

interface Trim {
  seq: number;
  resolve(): void;
  reject(error: unknown): void;
}

export function openIngestLog(path: string, options: IngestLogOptions): IngestLog {
  const { db, state } = openLogFile(path, options);
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const restartBigJournal = (): void => {
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < MAX_JOURNAL_BYTES) return;
    try {
      db.pragma('wal_checkpoint(restart)');
    } catch {
      // Harmless: the entries are safe in the journal, and the next check tries again.
    }
  };
  return new SqliteIngestLog(createLogWriter(db), state, options, restartBigJournal);
}

class SqliteIngestLog implements IngestLog {
  readonly #writer: LogWriter;
  readonly #options: IngestLogOptions;
  readonly #checkJournal: () => void;
  #state: LogState;
  #pending: PendingEntry[] = [];
  #pendingBytes = 0;
  #pendingEvents = 0;
  #trims: Trim[] = [];
  #scheduled = false;
  #closed = false;
  #flushes = 0;
  /** Whether the last write failed. */
  #isFailing = false;

  constructor(writer: LogWriter, state: LogState, options: IngestLogOptions, checkJournal: () => void) {
    this.#writer = writer;
    this.#state = state;
    this.#options = options;
    this.#checkJournal = checkJournal;
  }

  append(entry: NewLogEntry): Promise<number> {
    const refusal = this.#refusal(entry.events, entry.payload.length);
    if (refusal !== null) return Promise.reject(unavailable(refusal));
    this.#pendingBytes += entry.payload.length;
    this.#pendingEvents += entry.events;
    return new Promise((resolve, reject) => {
      this.#pending.push({ entry, resolve, reject });
      this.#schedule();
    });
  }

  trim(seq: number): Promise<void> {
    if (this.#closed) return Promise.reject(unavailable('The server is stopping.'));
    return new Promise((resolve, reject) => {
      // Not past the newest entry: what arrives in the same turn has not been processed.
      this.#trims.push({ seq: Math.min(seq, this.#state.head), resolve, reject });
      this.#schedule();
    });
  }

  /** Blocks this thread for a few milliseconds per pending megabyte. */
  async purge(): Promise<void> {
    if (this.#closed) throw unavailable('The server is stopping.');
    if (this.#state.bytes > MAX_PURGE_BYTES) throw unavailable('The ingest log is too large to be rewritten now.');
    this.#writer.rewrite();
    for (let tries = 0; !this.#writer.truncateJournal(); tries++) {
      if (tries === MAX_TRUNCATE_TRIES) throw unavailable('The journal of the ingest log is in use.');
      await sleep(TRUNCATE_INTERVAL_MS);
      if (this.#closed) throw unavailable('The server is stopping.');
    }
  }

  state(): LogState {
    return { ...this.#state };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#pending.length > 0) this.#flush(this.#takeGroup());
    // Untrimmed entries are processed again after the next start, which is harmless.
    for (const trim of this.#trims.splice(0)) trim.reject(unavailable('The server is stopping.'));
    this.#writer.close();
  }

  refusal(): string | null {
    const refusal = this.#refusal(1, 1);
    if (refusal !== null || !this.#isFailing) return refusal;
    try {
      this.#writer.probe();
      this.#isFailing = false;
      return null;
    } catch (error) {
      return diskFailure(error).message;
    }
  }

  #refusal(events: number, bytes: number): string | null {
    if (this.#closed) return 'The server is stopping.';
    const { maxBytes, maxEvents = Number.POSITIVE_INFINITY } = this.#options;
    const full =
      this.#state.bytes + this.#pendingBytes + bytes > maxBytes ||
      this.#state.events + this.#pendingEvents + events > maxEvents;
    return full ? 'Too many events are waiting to be processed. Try again in a moment.' : null;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed) return;
      this.#flush(this.#takeGroup());
      if (this.#pending.length > 0 || this.#trims.length > 0) this.#schedule();
    });
  }

  #flush(group: PendingEntry[]): void {
    const upTo = this.#trims.reduce((most, { seq }) => Math.max(most, seq), 0);
    try {
      const { state, seqs, trimmed } = this.#writer.write(this.#state, group, upTo);
      this.#state = state;
      if (group.length > 0) this.#isFailing = false;
      group.forEach(({ resolve }, i) => {
        resolve(seqs[i] ?? state.head);
      });
      this.#settleTrims(trimmed);
      if (++this.#flushes % FLUSHES_PER_JOURNAL_CHECK === 0) this.#checkJournal();
    } catch (error) {
      this.#fail(group, error);
    }
  }

  #takeGroup(): PendingEntry[] {
    let count = 0;
    let bytes = 0;
    for (const { entry } of this.#pending) {
      if (count === MAX_GROUP_ENTRIES || (count > 0 && bytes + entry.payload.length > MAX_GROUP_BYTES)) break;
      count++;
      bytes += entry.payload.length;
      this.#pendingEvents -= entry.events;
    }
    this.#pendingBytes -= bytes;
    return this.#pending.splice(0, count);
  }

  #settleTrims(trimmed: number): void {
    for (const trim of this.#trims) if (trim.seq <= trimmed) trim.resolve();
    this.#trims = this.#trims.filter(({ seq }) => seq > trimmed);
  }

  /** Trims that failed together with a group are tried alone: on a full disk they may still free space. */
  #fail(group: PendingEntry[], error: unknown): void {
    this.#isFailing = true;
    const failure = diskFailure(error);
    for (const { reject } of group) reject(failure);
    if (group.length === 0) for (const trim of this.#trims.splice(0)) trim.reject(failure);
    else if (this.#trims.length > 0) this.#flush([]);
  }
}
