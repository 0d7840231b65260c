import type { MaybePromise } from '../../lib/maybe-async.ts';
import type { LogProgress } from './log-progress.ts';

/**
 * Accepted requests, on disk until their events are stored. An entry is one request. Entries are numbered by `seq`,
 * strictly increasing, never reused.
 */
export interface NewLogEntry {
  projectId: number;
  /** When the server received it, ms UTC. */
  receivedAt: number;
  /** Number of events in the payload, so that pending events can be counted without reading payloads. */
  events: number;
  /** The request's other data as small JSON text (see `ingest/accept/request-context.ts`). */
  context: string;
  /** Ten random bytes from which ids of events without one are derived, so that a replay gives the same ids. */
  seed: Buffer;
  /** The decoded body as sent: JSON text in UTF-8. */
  payload: Buffer;
}

export interface LogEntry extends NewLogEntry {
  seq: number;
}

export interface LogState {
  /** `seq` of the newest entry on disk; 0 if there never was one. */
  head: number;
  /** Events ever accepted, including trimmed ones. */
  accepted: number;
  /** Entries and events not trimmed yet, and the size of their payloads. */
  entries: number;
  events: number;
  bytes: number;
  /** When the oldest remaining entry was received, or null. */
  oldestReceivedAt: number | null;
}

/** The writer: one per process. */
export interface IngestLog {
  /**
   * Resolves with the entry's `seq` once it would survive a power cut; concurrent requests share one sync. Rejects with a
   * `Failure` of kind `unavailable` if the log is full or cannot be written; then nothing is stored.
   */
  append(entry: NewLogEntry): Promise<number>;
  /**
   * Deletes entries up to and including `seq`, whose events are stored elsewhere. May take several turns of the event
   * loop; entries that arrive meanwhile stay, whatever `seq` says.
   */
  trim(seq: number): Promise<void>;
  /**
   * Resolves when no byte of what is trimmed by now is on disk. Rejects with `unavailable` while too much is pending to do
   * that soon.
   */
  purge(): Promise<void>;
  /** Why an entry would be refused; null if it would be taken. After a failed write this tries to write. */
  refusal(): Promise<string | null>;
  state(): LogState;
  close(): Promise<void>;
}

export interface PlannedChunk {
  /** Oldest first. */
  entries: readonly LogEntry[];
  /** After they have been processed. */
  progress: LogProgress;
}

/** The reader, which may run in another thread. */
export interface IngestLogReader {
  /** Entries after `seq`, oldest first, within both limits; the first entry is returned even if it exceeds them. */
  read(seq: number, maxEvents: number, maxBytes: number): MaybePromise<LogEntry[]>;
  close(): void;
}

/** For the processor. */
export interface ChunkReader {
  /**
   * What to process next: the oldest entries, or, where more are pending than fit, a share for each project with pending
   * entries, so that none waits for the flood of another.
   */
  next(progress: LogProgress, maxEvents: number, maxBytes: number): MaybePromise<PlannedChunk>;
  /** The entries that `to` includes and `from` does not. */
  between(from: LogProgress, to: LogProgress): MaybePromise<LogEntry[]>;
  afterProcessing(progress: LogProgress, entries: readonly LogEntry[]): MaybePromise<LogProgress>;
  get(seq: number): MaybePromise<LogEntry | null>;
}
