/**
 * A chunk's transaction on many machines: it changes persons and the rest like any other, and ends by leaving its
 * finished events behind as a block, together with how far each partition has got by it (decision 22).
 */
import type { PersonOverride } from '../events/event-store.ts';
import type { IngestStore, IngestTransaction } from '../ingest/ingest-store.ts';
import type { Lease } from './leases.ts';

/** A piece of a partition, from one entry after `before` up to `reached`. */
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
  /** When the first of its events arrived. */
  receivedAt: number;
  overrides: readonly PersonOverride[];
  /** Packed by `packBlock`. */
  rows: Buffer;
}

export interface ChunkTransaction extends IngestTransaction {
  /** Fails where a lease is no longer this node's, or a partition has got further already; nothing is written then. */
  finish(node: string, stretches: readonly PartitionRange[], block: NewBlock | null): Promise<void>;
}

export interface ChunkStore extends Omit<IngestStore, 'transaction'> {
  transaction<T>(work: (store: ChunkTransaction) => Promise<T>): Promise<T>;
}
