/**
 * A chunk's transaction in a cluster. Besides the usual changes it stores the processed events as a block, together with
 * the new position of each partition (decision 22).
 */
import type { PersonOverride } from '../events/event-store.ts';
import type { IngestStore, IngestTransaction } from '../ingest/ingest-store.ts';
import type { Lease } from './leases.ts';

/** The entries of a partition after `after`, up to and including `upTo`. */
export interface PartitionRange {
  partition: number;
  lease: Lease;
  after: number;
  upTo: number;
  events: number;
  bytes: number;
}

export interface NewBlock {
  events: number;
  projects: readonly number[];
  /** When the first of its events was received. */
  receivedAt: number;
  overrides: readonly PersonOverride[];
  /** Packed by `packBlock`. */
  rows: Buffer;
}

export interface ChunkTransaction extends IngestTransaction {
  /** Fails, and writes nothing, if this node has lost a lease or a partition is already further. */
  finish(node: string, ranges: readonly PartitionRange[], block: NewBlock | null): Promise<void>;
}

export interface ChunkStore extends Omit<IngestStore, 'transaction'> {
  transaction<T>(work: (store: ChunkTransaction) => Promise<T>): Promise<T>;
}
