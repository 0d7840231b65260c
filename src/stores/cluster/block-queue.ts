/**
 * The queue of event blocks and reassignments on their way to the event store. What a shipment holds is stored before it
 * is sent, so that after a crash the same blocks are sent again under the same number.
 */

import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import type { Shipment, ShippedTotals } from './block-store.ts';
import type { Lease } from './leases.ts';

export interface PendingBlocks {
  numbers: readonly number[];
  events: number;
  /** How long the first one has been pending, ms. */
  waitedMs: number;
}

export interface BlockQueue {
  /** The shipment that was begun and not completed, or null. */
  runningShipment(): Promise<Shipment | null>;
  /** Pending reassignments, or else the blocks before the next reassignment: at least one, within both limits. */
  next(maxEvents: number, maxBytes: number): Promise<{ reassignments: Reassignment[] } | PendingBlocks | null>;
  /** Stores what the next shipment holds. Fails if the lease is lost. */
  beginShipment(holder: string, lease: Lease, numbers: readonly number[]): Promise<void>;
  /** Deletes its blocks and notifies all nodes. */
  completeShipment(holder: string, lease: Lease, shipment: number): Promise<void>;
  /** What was completed; null before the first shipment that was counted. */
  shipped(): Promise<ShippedTotals | null>;
  completeReassignments(holder: string, lease: Lease, done: readonly Reassigned[]): Promise<void>;
  /** Never number a shipment up to `position`: the event store already has it. */
  skipTo(position: number): Promise<void>;
}
