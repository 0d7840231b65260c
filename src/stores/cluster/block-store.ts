import type { EventStore, PersonOverride } from '../events/event-store.ts';
import type { PropertyReadCount } from '../events/property-usage.ts';

/** Blocks that are written to the event store together. */
export interface Shipment {
  /** Each packed by `packBlock`, in the order of their numbers; about 500,000 events in all at most. */
  blocks: readonly Uint8Array[];
  /** In the order they happened. */
  overrides: readonly PersonOverride[];
  /** Identifies the shipment; strictly increasing. The same position always has the same blocks. */
  position: number;
}

/** An event store without transactions: writes are repeated until they succeed. */
export interface BlockStore extends EventStore {
  /**
   * Writes a shipment; one that is not past `position()` was written before and is skipped. After any failure write the
   * same shipment again: nothing is stored twice. Await each before the next.
   */
  writeBlocks(shipment: Shipment): Promise<void>;
  /** The properties that queries of this process have read since the last call. */
  takeReads(): PropertyReadCount[];
  /** Adds reads of other processes to the counts of the one that maintains the store. */
  recordReads(reads: readonly PropertyReadCount[]): void;
}
