/**
 * The ingest log of a cluster: the guarantees of `IngestLog`, in partitions. A request is split into one entry for each
 * partition it concerns; all of them are stored or none. Within a partition, entries are numbered in the order they
 * become visible.
 */
import type { LogEntry, NewLogEntry } from '../ingest/ingest-log.ts';
import type { ChangedSubjects } from './node-messages.ts';

export interface NewPartitionEntry extends NewLogEntry {
  partition: number;
}

export interface PartitionEntry extends LogEntry {
  partition: number;
}

/** Partition → entry number. */
export type Positions = ReadonlyMap<number, number>;

export interface PartitionedLog {
  readonly partitions: number;
  /**
   * Stores the entries of one request, at least one, and notifies all nodes of them and of `changed`. Resolves with the
   * new head of each partition once they would survive a power cut; rejects with `unavailable` if they cannot be stored.
   */
  append(entries: readonly NewPartitionEntry[], changed?: readonly ChangedSubjects[]): Promise<Positions>;
  /** Over all partitions. */
  state(): Promise<PartitionedState>;
  /** The newest entry of each partition. */
  heads(): Promise<Positions>;
  /** How far each partition has been processed. */
  positions(): Promise<Positions>;
  close(): Promise<void>;
}

export interface PartitionedState {
  /** Events ever accepted. */
  accepted: number;
  /** Pending events and bytes. */
  events: number;
  bytes: number;
  oldestReceivedAt: number | null;
}

export interface PartitionReader {
  /**
   * Entries of these partitions after the given positions, within both limits but at least one. Where more are pending,
   * projects take turns; the entries of a project in a partition come in order, without gaps.
   */
  read(after: Positions, maxEvents: number, maxBytes: number): Promise<PartitionEntry[]>;
  get(partition: number, seq: number): Promise<PartitionEntry | null>;
}
