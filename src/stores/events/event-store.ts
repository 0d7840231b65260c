import type { Json } from '../../core/json/json.ts';
import type { Range } from '../../core/time/range.ts';
import type { LogProgress } from '../ingest/log-progress.ts';
import type { AddressPlace } from './address-place.ts';
import type { MirrorBatch, MirrorPosition } from './person-mirror.ts';
import type { Reassigned, Reassignment } from './reassignment.ts';

/**
 * Events, written in order by the processor and read by queries.
 *
 * Each event stores the person it belonged to when it was processed. A later merge adds an override to the new person;
 * queries apply the overrides, so old events follow a merge at once.
 */
export interface StoredEvent {
  projectId: number;
  uuid: string;
  event: string;
  distinctId: string;
  /** UUID of the person, or the deterministic id of a personless event. */
  personId: string;
  /** When it happened, ms UTC, after clock correction. */
  timestamp: number;
  /** When it was received, ms UTC. */
  createdAt: number;
  /** All properties as JSON text. */
  properties: string;
  /** The same, parsed: for promoted columns. */
  parsed: Readonly<Record<string, Json>>;
  /** Texts of the hot properties (`core/events/hot-properties.ts`), which have their own columns. */
  hot: readonly (string | null)[];
  elementsChain: string;
  /** Group keys by group type index 0 to 4; null for no group. */
  groups: readonly (string | null)[];
}

/**
 * From now on, events of `from` belong to `to`, and so do those that an earlier override gave to `from`. If `to` itself
 * is overridden, its target is used; if that target is `from`, the override of `to` ends.
 */
export interface PersonOverride {
  projectId: number;
  from: string;
  to: string;
}

/** How far everything was processed when a batch was written. Held against the metadata store at start. */
export interface BatchTotals {
  /** When the last request of the batch was received, ms UTC. */
  receivedAt: number;
  /** Number of events by fate, of all batches so far. */
  counts: Readonly<Record<string, number>>;
}

export interface EventBatch {
  events: readonly StoredEvent[];
  overrides: readonly PersonOverride[];
  /** The log position that this batch reaches, and projects ahead of it; committed together with its events. */
  position: number;
  ahead?: LogProgress['ahead'];
  /** Committed together with the events, where the store keeps it. */
  totals?: BatchTotals;
  /** Called while the engine commits, so that the caller can use the time. Must not throw. */
  whileCommitting?: () => void;
}

/** A property with its own column. */
export interface PromotedProperty {
  owner: 'event' | 'person';
  key: string;
  /** How much of the column is filled, from 0 to 1; queries read it once it is 1. */
  filled: number;
  /** When it was last read, approximately, ms UTC. */
  lastUsed: number;
}

export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = Record<string, SqlValue>;

/** A large result, by column name. */
export interface ColumnTable {
  readonly rowCount: number;
  /** 32-bit integers. */
  integers(name: string): Int32Array;
  doubles(name: string): Float64Array;
  /** Many times slower than numbers: each text is a value of its own. */
  texts(name: string): readonly string[];
  uuids(name: string): UuidColumn;
}

export type ParquetCompression = 'snappy' | 'gzip' | 'zstd';

/** UUIDs as pairs of 64-bit words; may be sent to another thread. */
export interface UuidWords {
  words: BigUint64Array;
  /** Which word of a pair is the high one. */
  high: 0 | 1;
  /** Changes the high word to what it is in the UUID, by XOR. */
  mask: bigint;
}

export interface UuidColumn {
  readonly words: UuidWords;
  textAt(row: number): string;
  /** Compares the ids of two rows in the order of their texts. */
  compare(a: number, b: number): number;
}

export interface EventStore {
  /** The log position committed last; initially 0. */
  position(): Promise<number>;
  /** The progress committed last. */
  progress(): Promise<LogProgress>;
  /**
   * Writes the batch and its progress in one transaction. A batch that is not past the committed progress was
   * written before and is skipped, so replays are harmless. The store cannot split a batch: after a restart continue from
   * `progress()`, so that no batch spans it. Await each write before the next, or a failed one leaves a gap.
   */
  write(batch: EventBatch): Promise<void>;
  /**
   * Runs one read-only statement of this dialect with bound values (`$1`, `$2`, …). Timestamps, 64-bit integers and
   * decimals come as numbers, UUIDs as text. The view `events` has each event with its current person; `event_rows` has
   * the stored person and is cheaper where persons do not matter; `person_rows` has the mirrored persons. Rejects with
   * the signal's reason when aborted.
   */
  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]>;
  /** For results of millions of rows. Every column is a 32-bit integer, a double, a UUID or a text, without nulls. */
  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable>;
  /**
   * Writes the rows of a statement to a Parquet file that does not exist yet, and returns how many there were. One at a
   * time; the rows are not all in memory.
   */
  writeParquet(
    sql: string,
    values: readonly SqlValue[],
    target: string,
    compression: ParquetCompression,
  ): Promise<number>;
  /** How far the copy of the project's persons reaches (`person_rows`: person_id, created_at, properties). */
  mirrorPosition(projectId: number): Promise<MirrorPosition>;
  /** Projects with a copy of their persons. */
  listMirroredProjects(): Promise<number[]>;
  /** Writes a batch of persons and its position in one transaction; repeating a batch changes nothing. */
  mirrorPersons(batch: MirrorBatch): Promise<void>;
  /** Removes the copy of the project's persons. */
  deleteMirror(projectId: number): Promise<void>;
  /**
   * Brings the project's rows in `session_rows` up to date: a row for each session with an id (`session-columns.ts` has
   * their columns). False where there are none, or not yet: then sessions are found in the events.
   */
  prepareSessions(projectId: number): Promise<boolean>;
  /** Deletes the project's events from before `timestamp`; returns how many. */
  deleteBefore(projectId: number, timestamp: number): Promise<number>;
  /** Adds places to the events of these addresses that have none (`unplaced-events.ts`); returns how many got one. */
  addPlaces(projectId: number, range: Range, places: readonly AddressPlace[]): Promise<number>;
  /** Applies these, oldest first, each in a transaction; one that was applied before is skipped. */
  reassign(reassignments: readonly Reassignment[]): Promise<Reassigned[]>;
  /** Rewrites everything, so that no byte of removed data is left on disk. Slow; queries go on, writes wait. */
  purge(): Promise<void>;
  /**
   * Does a small piece of background work, such as promoting frequently used properties to columns; results do not
   * change. False if nothing is left to do. Writes wait for it.
   */
  maintain(now: number): Promise<boolean>;
  needsMaintenance(now: number): boolean;
  /** Including columns that are still being filled. */
  listPromotedProperties(): Promise<PromotedProperty[]>;
  /** Bytes on disk. */
  size(): Promise<number>;
  close(): Promise<void>;
}
