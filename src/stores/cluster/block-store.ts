import type { EventStore, PersonOverride } from '../events/event-store.ts';
import type { PropertyReadCount } from '../events/property-usage.ts';

/** What was ever shipped. The queue and the event store both know it, so that a loss of either is found. */
export interface ShippedTotals {
  /** The number of the last shipment. */
  shipment: number;
  /** Null where an earlier version, which did not count, has written last. */
  events: number | null;
  /** When the last of them was received, ms UTC. */
  receivedAt: number | null;
}

/** Where the queue keeps them: a key of the installation table. */
export const SHIPPED_TOTALS = 'shipped';

/** Blocks that are written to the event store together. */
export interface Shipment {
  /** Each packed by `packBlock`, in the order of their numbers; about 500,000 events in all at most. */
  blocks: readonly Uint8Array[];
  /** In the order they happened. */
  overrides: readonly PersonOverride[];
  /** Identifies the shipment; strictly increasing. The same position always has the same blocks. */
  position: number;
  /** With this shipment. */
  totals?: ShippedTotals;
}

/** An event store without transactions: writes are repeated until they succeed. */
export interface BlockStore extends EventStore {
  /**
   * Writes a shipment; one that is not past `position()` was written before and is skipped. After any failure write the
   * same shipment again: nothing is stored twice. Await each before the next.
   */
  writeBlocks(shipment: Shipment): Promise<void>;
  /** What was written last. */
  shipped(): Promise<ShippedTotals>;
  /** The properties that queries of this process have read since the last call. */
  takeReads(): PropertyReadCount[];
  /** Adds reads of other processes to the counts of the one that maintains the store. */
  recordReads(reads: readonly PropertyReadCount[]): void;
}
