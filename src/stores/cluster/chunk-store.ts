/**
 * A chunk's transaction in a cluster. Besides the usual changes it stores the processed events as a block, together with
 * the new position of each partition (decision 22).
 */
import type { PersonOverride } from '../events/event-store.ts';
import type { IngestStore, IngestTransaction } from '../ingest/ingest-store.ts';
import type { Lease } from './leases.ts';
import type { Positions } from './partitioned-log.ts';

/** What a chunk has processed of a partition. */
export interface ProcessedPartition {
  partition: number;
  lease: Lease;
  seqs: readonly number[];
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
  /**
   * Deletes the entries, and returns the new positions. Fails, and writes nothing, if this node has lost a lease or an
   * entry has been processed already.
   */
  finish(node: string, processed: readonly ProcessedPartition[], block: NewBlock | null): Promise<Positions>;
}

export interface ChunkStore extends Omit<IngestStore, 'transaction'> {
  transaction<T>(work: (store: ChunkTransaction) => Promise<T>): Promise<T>;
}
