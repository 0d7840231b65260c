/**
 * Blocks and orders to refile on their way to the event store, in one queue. Whoever ships them writes down what a
 * shipment holds before it is sent, so that after any crash the same is sent again under the same number.
 */

import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import type { Shipment } from './block-store.ts';
import type { Lease } from './leases.ts';

export interface PendingBlocks {
  numbers: readonly number[];
  events: number;
  /** How long the first of them has waited, ms. */
  waitedMs: number;
}

export interface BlockQueue {
  /** The shipment that was begun and has not arrived; null where there is none. */
  runningShipment(): Promise<Shipment | null>;
  /** What comes next: orders, or blocks up to the next order. Blocks are bounded, but there is at least one. */
  next(maxEvents: number, maxBytes: number): Promise<{ orders: Reassignment[] } | PendingBlocks | null>;
  /** Fixes what the next shipment holds. Fails where the lease is lost. */
  beginShipment(holder: string, lease: Lease, numbers: readonly number[]): Promise<void>;
  /** It has arrived: forgets its blocks, and tells everybody. */
  completeShipment(holder: string, lease: Lease, shipment: number): Promise<void>;
  /** Orders are done. */
  completeReassignments(holder: string, lease: Lease, done: readonly Reassigned[]): Promise<void>;
  /** No shipment gets a number up to this one: the event store has seen it. */
  skipTo(position: number): Promise<void>;
}
