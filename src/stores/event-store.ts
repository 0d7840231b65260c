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
  elementsChain: string;
  /** Keys of the groups of index 0 to 4, null where the event belongs to none. */
  groups: readonly (string | null)[];
}

/** From now on, events of `from` belong to `to`. */
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
}

export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = Record<string, SqlValue>;

export interface EventStore {
  /** The log position committed last; 0 at the beginning. */
  position(): Promise<number>;
  /** Writes the batch and its position in one transaction: all of it or nothing. */
  write(batch: EventBatch): Promise<void>;
  /**
   * Runs one read-only statement with bound values (`$1`, `$2`, …) and returns its rows: timestamps as ms numbers,
   * 64-bit integers and decimals as numbers, UUIDs as text. The view `events` holds one row per event with its
   * current person.
   */
  query(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Removes the project's events that happened before `timestamp`; says how many. */
  deleteBefore(projectId: number, timestamp: number): Promise<number>;
  /** Bytes on disk. */
  size(): Promise<number>;
  close(): Promise<void>;
}
