/** The work of a worker: leases of partitions, lanes that process them, and the keeping of the event store. */
import type { Logger } from '../../lib/log.ts';
import { within } from '../../lib/within.ts';
import type { Lease, LeaseStore, NodeNote } from '../../stores/cluster/leases.ts';
import type { News } from '../../stores/cluster/node-messages.ts';
import type { EventKeeper } from './event-store-owner.ts';
import { LeaseKeeper } from './lease-holder.ts';
import { type LaneDeps, PartitionLane } from './partition-processor.ts';
import { partitionOf } from './plan-leases.ts';

export interface PartitionWorkersDeps {
  leases: LeaseStore;
  node(): NodeNote;
  lane: LaneDeps;
  keeper: EventKeeper;
  logger: Logger;
  /** This process has the chores of the whole, or no longer has them. */
  onCharge(isInCharge: boolean): void;
  onGiven(): void;
}

/**
 * While one lane waits for the database, another one computes. More of them would only make smaller chunks, since they
 * share a thread.
 */
const LANES = 2;
/** News may get lost. */
const LOOK_EVERY_MS = 1000;
const PATIENCE_MS = 2000;

export class PartitionWorkers {
  readonly #deps: PartitionWorkersDeps;
  readonly #lanes: readonly PartitionLane[];
  readonly #leases: LeaseKeeper;
  readonly #looking: NodeJS.Timeout;

  constructor(deps: PartitionWorkersDeps) {
    this.#deps = deps;
    this.#lanes = Array.from({ length: LANES }, () => new PartitionLane(deps.lane));
    this.#leases = new LeaseKeeper({
      store: deps.leases,
      node: deps.node,
      logger: deps.logger,
      onTaken: (lease) => this.#taken(lease),
      onLost: (lease) => this.#lost(lease),
      onGiven: () => deps.onGiven(),
    });
    this.#looking = setInterval(() => this.#wake(), LOOK_EVERY_MS);
  }

  get held(): readonly string[] {
    return this.#leases.held;
  }

  start(): void {
    this.#leases.start();
  }

  hear({ came, hurry, queued, shipped, leases }: News): void {
    if (hurry) for (const lane of this.#lanes) lane.hurry();
    else if (came) for (const lane of this.#lanes) lane.wake();
    if (queued || shipped !== undefined) this.#deps.keeper.wake();
    if (leases) this.#leases.look();
  }

  /** What is under way ends, and everything is given up at once. */
  async stop(): Promise<void> {
    clearInterval(this.#looking);
    await this.#leases.stop();
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  #wake(): void {
    for (const lane of this.#lanes) lane.wake();
    this.#deps.keeper.wake();
  }

  #laneOf(partition: number): PartitionLane | undefined {
    return this.#lanes[partition % this.#lanes.length];
  }

  #taken(lease: Lease): void {
    const partition = partitionOf(lease.name);
    if (partition !== null) {
      this.#laneOf(partition)?.add(partition, lease);
      return;
    }
    this.#deps.keeper.begin(lease);
    this.#deps.onCharge(true);
  }

  async #lost({ name }: Lease): Promise<void> {
    const partition = partitionOf(name);
    if (partition !== null) return this.#laneOf(partition)?.remove(partition);
    this.#deps.onCharge(false);
    // An event store that hangs must not keep others from taking over: whatever still arrives there has its number.
    await within(PATIENCE_MS, this.#deps.keeper.end());
  }
}
