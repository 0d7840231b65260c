/**
 * The ingest log of many machines: the same promises as `IngestLog`, cut into partitions. A request is cut into one
 * entry for each partition that it touches, and all of them are kept or none. Within a partition, entries are numbered
 * in the order in which they become visible.
 */
import type { LogEntry, NewLogEntry } from '../ingest/ingest-log.ts';
import type { ChangedSubjects } from './node-messages.ts';

export interface NewPartitionEntry extends NewLogEntry {
  partition: number;
}

export interface PartitionEntry extends LogEntry {
  partition: number;
}

/** For each partition the number of an entry. */
export type Positions = ReadonlyMap<number, number>;

export interface PartitionedLog {
  readonly partitions: number;
  /**
   * Keeps the entries of one request, at least one; resolves with the number that each partition has reached with them
   * once they would survive a power cut. Every node hears of it, and of `changed`. Rejects with `unavailable` where they cannot be kept.
   */
  append(entries: readonly NewPartitionEntry[], changed?: readonly ChangedSubjects[]): Promise<Positions>;
  /** What waits, over all partitions. */
  state(): Promise<PartitionedState>;
  /** The newest entry of each partition. */
  heads(): Promise<Positions>;
  /** Up to where each partition has been processed. */
  positions(): Promise<Positions>;
  close(): Promise<void>;
}

export interface PartitionedState {
  /** Events ever accepted. */
  accepted: number;
  /** Events and bytes that wait to be processed. */
  events: number;
  bytes: number;
  oldestReceivedAt: number | null;
}

export interface PartitionReader {
  /**
   * Entries after the given positions, of those partitions alone, with as many events and bytes as asked for at the
   * most, but at least one entry if there is one. The entries of a partition come in their order, without a gap.
   */
  read(after: Positions, maxEvents: number, maxBytes: number): Promise<PartitionEntry[]>;
}
