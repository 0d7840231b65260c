import type { MaybePromise } from '../../lib/maybe-async.ts';

/**
 * The shelf between the front door and the processor: accepted requests, on disk, until their events are stored.
 *
 * An entry is one accepted request. `append` resolves when the entry would survive a power cut; requests that wait at
 * the same time share one sync. Entries are numbered by `seq`, strictly growing, never reused.
 */
export interface NewLogEntry {
  projectId: number;
  /** Arrival time at the server, ms. */
  receivedAt: number;
  /** How many events the payload holds; kept so that 'pending' is known without reading payloads. */
  events: number;
  /** What the request said beside its events (`ingest/accept/request-context.ts` reads and writes it). Small JSON text. */
  context: string;
  /** Ten random bytes: the ids of events that came without one are derived from them, the same at every replay. */
  seed: Buffer;
  /** The decoded body, JSON text in UTF-8, as it came. */
  payload: Buffer;
}

export interface LogEntry extends NewLogEntry {
  seq: number;
}

export interface LogState {
  /** `seq` of the newest entry on disk; 0 when there never was one. */
  head: number;
  /** Events ever accepted; trimming does not lower it. */
  accepted: number;
  /** Entries and events not trimmed yet, and how many bytes their payloads take. */
  entries: number;
  events: number;
  bytes: number;
  /** Arrival time of the oldest entry that is still there, or null. */
  oldestReceivedAt: number | null;
}

/** The writing side: one owner per process. */
export interface IngestLog {
  /**
   * Resolves with the entry's `seq` once it is on disk. Rejects with a `Failure` of kind `unavailable` when the log is
   * past its bound or the disk refuses; nothing of the entry is kept then.
   */
  append(entry: NewLogEntry): Promise<number>;
  /**
   * Forgets entries up to and including `seq`: their events are safe elsewhere. Resolves when they are gone, which may
   * take several turns of the event loop; entries that arrive meanwhile are spared, whatever `seq` says.
   */
  trim(seq: number): Promise<void>;
  /**
   * Writes what is left afresh, so that no byte of what was trimmed stays on disk. Rejects with `unavailable` while so
   * much waits that it would take long.
   */
  purge(): Promise<void>;
  state(): LogState;
  close(): Promise<void>;
}

/** The reading side, which may live in another thread than the writing side. */
export interface IngestLogReader {
  /**
   * Entries after `seq`, oldest first. An entry that would carry the sum past `maxEvents` or `maxBytes` is left for the
   * next call, except the first: there is always at least one if there is one.
   */
  read(seq: number, maxEvents: number, maxBytes: number): MaybePromise<LogEntry[]>;
  close(): void;
}
