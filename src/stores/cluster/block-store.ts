import type { EventStore, PersonOverride } from '../events/event-store.ts';
import type { PropertyReadCount } from '../events/property-demand.ts';

/** Blocks on their way to an event store of many machines, with what is to be said along with them. */
export interface Shipment {
  /** Each packed by `packBlock`, in the order of their numbers. About 500,000 events in all, and not more. */
  blocks: readonly Uint8Array[];
  /** In the order in which they happened. */
  overrides: readonly PersonOverride[];
  /** Strictly growing, and the shipment's name: the same position always comes with the same blocks. */
  position: number;
}

/** An event store that shares no transaction with anybody: what is written to it is repeated until it has arrived. */
export interface BlockStore extends EventStore {
  /**
   * Writes a shipment. One that is not past `position()` was written before and is left out. After a failure, whatever
   * it was, the same shipment is written again: what had arrived of it is not stored twice. Await each before the next.
   */
  writeBlocks(shipment: Shipment): Promise<void>;
  /** Which properties questions have read through this process since the last call. */
  takeReads(): PropertyReadCount[];
  /** Questions have read these through another process: to be counted by the one that tends the store. */
  recordReads(reads: readonly PropertyReadCount[]): void;
}
