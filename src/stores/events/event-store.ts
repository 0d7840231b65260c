import type { Json } from '../../core/json/json.ts';
import type { MirrorBatch, MirrorPosition } from './person-mirror.ts';
import type { Reassigned, Reassignment } from './reassignment.ts';

/**
 * The shelf of events: written in order by the processor, asked by insights.
 *
 * Each event carries the person it belonged to when it was processed. When persons merge later, an override says
 * which person took over; queries read persons through the overrides, so old events follow a merge at once.
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
  /** When it arrived, ms UTC. */
  createdAt: number;
  /** Whole properties as JSON text. */
  properties: string;
  /** The same as they were read, for columns that the store keeps of some of them. */
  parsed: Readonly<Record<string, Json>>;
  /** Text of the hot properties (`hotProperties` of `core/events/hot-properties.ts`), for columns of their own. */
  hot: readonly (string | null)[];
  elementsChain: string;
  /** Keys of the groups of index 0 to 4, null where the event belongs to none. */
  groups: readonly (string | null)[];
}

/**
 * From now on, events of `from` belong to `to`, and so do those that an earlier override gave to `from`. Where `to` was
 * itself overridden, its heir takes over; where that heir is `from`, the newer word counts and `to` comes back to life.
 */
export interface PersonOverride {
  projectId: number;
  from: string;
  to: string;
}

export interface EventBatch {
  events: readonly StoredEvent[];
  overrides: readonly PersonOverride[];
  /** The log position up to which this batch reaches; committed together with its events. */
  position: number;
  /** Called while the engine commits, and nothing is left to do but wait: a moment for other work. Must not throw. */
  whileCommitting?: () => void;
}

/** A property that the store reads from a column of its own. */
export interface PromotedProperty {
  owner: 'event' | 'person';
  key: string;
  /** How much of the column is filled, from 0 to 1; it is read when it is 1. */
  filled: number;
  /** About when it was read last, ms UTC. */
  lastUsed: number;
}

export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = Record<string, SqlValue>;

/** An answer of very many rows, by the names of its columns. */
export interface ColumnTable {
  readonly rowCount: number;
  /** Of a column of 32-bit integers. */
  integers(name: string): Int32Array;
  doubles(name: string): Float64Array;
  /** Each text is a value of its own: many times as dear as numbers. */
  texts(name: string): readonly string[];
  uuids(name: string): UuidColumn;
}

export interface UuidColumn {
  textAt(row: number): string;
  /** The order of two rows by their ids, as texts would have it. */
  compare(a: number, b: number): number;
}

export interface EventStore {
  /** The log position committed last; 0 at the beginning. */
  position(): Promise<number>;
  /**
   * Writes the batch and its position in one transaction: all of it or nothing. A batch whose position is not past the
   * committed one was written before and is left out, which makes a replay harmless. The store cannot cut a batch in
   * two: after a restart the caller goes on from `position()`, so that no batch reaches from before it to after it.
   * Await each write before the next: a later batch that commits without an earlier one would leave a hole.
   */
  write(batch: EventBatch): Promise<void>;
  /**
   * Runs one read-only statement, as its dialect writes it, with bound values (`$1`, `$2`, …) and returns its rows: timestamps as ms numbers,
   * 64-bit integers and decimals as numbers, UUIDs as text. The view `events` holds one row per event with its
   * current person; the table `event_rows` the same with the person of then, cheaper where persons do not matter;
   * `person_rows` the persons as they are now, as far as they have been copied (see `mirror`).
   * It ends early, with the signal's reason, when that is aborted.
   */
  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]>;
  /**
   * The same for answers of millions of rows, column by column. Every column is a 32-bit integer, a double, a UUID or a
   * text, and none has nulls.
   */
  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable>;
  /** How far the copy of the project's persons reaches (`person_rows`: person_id, created_at, properties). */
  mirrorPosition(projectId: number): Promise<MirrorPosition>;
  /** The projects of whose persons there is a copy. */
  listMirroredProjects(): Promise<number[]>;
  /** Writes a slice of persons and its position in one transaction; a slice that was written before changes nothing. */
  mirrorPersons(slice: MirrorBatch): Promise<void>;
  /** Removes the copy of the project's persons. */
  deleteMirror(projectId: number): Promise<void>;
  /** Removes the project's events that happened before `timestamp`; says how many. */
  deleteBefore(projectId: number, timestamp: number): Promise<number>;
  /** Does these orders, oldest first, each wholly or not at all; one that was done before is passed over. */
  reassign(refilings: readonly Reassignment[]): Promise<Reassigned[]>;
  /**
   * Writes everything afresh, so that no byte of what was removed is left on disk. Takes its time: questions are
   * answered meanwhile, but writes wait.
   */
  purge(): Promise<void>;
  /**
   * Does a small piece of what the store does for itself, such as giving properties that are often asked for a column
   * of their own; no answer changes by it. False when there is nothing more to do. Writes wait for it, so it is short.
   */
  maintain(now: number): Promise<boolean>;
  /** Whether there is something of that kind to do. */
  needsMaintenance(now: number): boolean;
  /** The properties that have such a column, or are getting one. */
  listPromotedProperties(): Promise<PromotedProperty[]>;
  /** Bytes on disk. */
  size(): Promise<number>;
  close(): Promise<void>;
}
