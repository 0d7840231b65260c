import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestLog, LogState, NewLogEntry } from '../ingest/ingest-log.ts';
import { diskFailure, unavailable } from './disk-failure.ts';
import { JOURNAL_LIMIT_BYTES, type LogFileOptions, openLogFile } from './ingest-log-file.ts';
import { createLogWriter, type LogWriter } from './log-writer.ts';

/**
 * The ingest log of one machine: one SQLite file, written by the thread that serves HTTP.
 *
 * Entries that arrive in one turn of the event loop wait for its end and go to disk in one transaction, with one sync:
 * under load a sync is shared by many requests, without load nobody waits for company. Trimming rides along in the
 * same transaction, a small slice at a time.
 */
interface IngestLogOptions extends LogFileOptions {
  /** Most bytes of payload that may wait for processing. */
  maxBytes: number;
  /** Most events that may wait for processing; unbounded unless given. */
  maxEvents?: number;
}

/** A group stops growing here; the rest goes with the next one, so that no turn of the loop takes long. */
const MAX_GROUP_ENTRIES = 500;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

/** A journal this big means that readers have kept checkpoints from finishing: then we wait for them, shortly. */
const MAX_JOURNAL_BYTES = 4 * JOURNAL_LIMIT_BYTES;
const FLUSHES_PER_JOURNAL_CHECK = 256;
const BUSY_TIMEOUT_MS = 50;

const MAX_PURGE_BYTES = 16 * 1024 * 1024;
const MAX_TRUNCATE_TRIES = 100;
const TRUNCATE_INTERVAL_MS = 10;

interface Waiting {
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
      // Nothing is lost: the entries are safe in the journal, and the next look tries again.
    }
  };
  return new SqliteIngestLog(createLogWriter(db), state, options, restartBigJournal);
}

class SqliteIngestLog implements IngestLog {
  readonly #writer: LogWriter;
  readonly #options: IngestLogOptions;
  readonly #lookAtJournal: () => void;
  #state: LogState;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #waitingEvents = 0;
  #trims: Trim[] = [];
  #scheduled = false;
  #closed = false;
  #flushes = 0;

  constructor(writer: LogWriter, state: LogState, options: IngestLogOptions, lookAtJournal: () => void) {
    this.#writer = writer;
    this.#state = state;
    this.#options = options;
    this.#lookAtJournal = lookAtJournal;
  }

  append(entry: NewLogEntry): Promise<number> {
    const refusal = this.#refusal(entry);
    if (refusal !== undefined) return Promise.reject(unavailable(refusal));
    this.#waitingBytes += entry.payload.length;
    this.#waitingEvents += entry.events;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      this.#schedule();
    });
  }

  trim(seq: number): Promise<void> {
    if (this.#closed) return Promise.reject(unavailable('The server is stopping.'));
    return new Promise((resolve, reject) => {
      // Never past the newest entry of now: what arrives in the same turn has not been processed by anybody.
      this.#trims.push({ seq: Math.min(seq, this.#state.head), resolve, reject });
      this.#schedule();
    });
  }

  /** Blocks this thread while it writes: a few milliseconds for each megabyte that waits. */
  async purge(): Promise<void> {
    if (this.#closed) throw unavailable('The server is stopping.');
    if (this.#state.bytes > MAX_PURGE_BYTES) throw unavailable('Too much waits in the log to write it afresh.');
    this.#writer.rewrite();
    for (let tries = 0; !this.#writer.truncateJournal(); tries++) {
      if (tries === MAX_TRUNCATE_TRIES) throw unavailable('The journal of the log is being read; it could not be cut.');
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
    while (this.#waiting.length > 0) this.#flush(this.#takeGroup());
    // Entries that are left untrimmed are processed again after the next start, which is harmless.
    for (const trim of this.#trims.splice(0)) trim.reject(unavailable('The server is stopping.'));
    this.#writer.close();
  }

  #refusal({ events, payload }: NewLogEntry): string | undefined {
    if (this.#closed) return 'The server is stopping.';
    const { maxBytes, maxEvents = Number.POSITIVE_INFINITY } = this.#options;
    const full =
      this.#state.bytes + this.#waitingBytes + payload.length > maxBytes ||
      this.#state.events + this.#waitingEvents + events > maxEvents;
    return full ? 'Too many events wait to be processed; send this again in a moment.' : undefined;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed) return;
      this.#flush(this.#takeGroup());
      if (this.#waiting.length > 0 || this.#trims.length > 0) this.#schedule();
    });
  }

  #flush(group: Waiting[]): void {
    const upTo = this.#trims.reduce((most, { seq }) => Math.max(most, seq), 0);
    try {
      const { state, seqs, trimmed } = this.#writer.write(this.#state, group, upTo);
      this.#state = state;
      group.forEach(({ resolve }, i) => {
        resolve(seqs[i] ?? state.head);
      });
      this.#settleTrims(trimmed);
      if (++this.#flushes % FLUSHES_PER_JOURNAL_CHECK === 0) this.#lookAtJournal();
    } catch (error) {
      this.#fail(group, error);
    }
  }

  #takeGroup(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { entry } of this.#waiting) {
      if (count === MAX_GROUP_ENTRIES || (count > 0 && bytes + entry.payload.length > MAX_GROUP_BYTES)) break;
      count++;
      bytes += entry.payload.length;
      this.#waitingEvents -= entry.events;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  #settleTrims(trimmed: number): void {
    for (const trim of this.#trims) if (trim.seq <= trimmed) trim.resolve();
    this.#trims = this.#trims.filter(({ seq }) => seq > trimmed);
  }

  /** A full disk must not keep the log from giving room back: trims that went along with a group get a try alone. */
  #fail(group: Waiting[], error: unknown): void {
    const failure = diskFailure(error);
    for (const { reject } of group) reject(failure);
    if (group.length === 0) for (const trim of this.#trims.splice(0)) trim.reject(failure);
    else if (this.#trims.length > 0) this.#flush([]);
  }
}
