/** The work of a worker: leases of partitions, lanes that process them, and the keeping of the event store. */
import type { Logger } from '../../lib/log.ts';
import { resolvesWithin } from '../../lib/within.ts';
import type { Lease, LeaseStore, NodeInfo } from '../../stores/cluster/leases.ts';
import type { NodeMessage } from '../../stores/cluster/node-messages.ts';
import type { EventStoreOwner } from './event-store-owner.ts';
import { LeaseHolder } from './lease-holder.ts';
import { PartitionProcessor, type PartitionProcessorDeps } from './partition-processor.ts';
import { partitionOf } from './plan-leases.ts';

interface PartitionWorkersDeps {
  leases: LeaseStore;
  node(): NodeInfo;
  processor: PartitionProcessorDeps;
  owner: EventStoreOwner;
  logger: Logger;
  /** This process has the chores of the whole, or no longer has them. */
  onLeaderChange(isInCharge: boolean): void;
  onReleased(): void;
}

/**
 * While one lane waits for the database, another one computes. More of them would only make smaller chunks, since they
 * share a thread.
 */
const PROCESSOR_COUNT = 2;
/** News may get lost. */
const POLL_INTERVAL_MS = 1000;
const STOP_TIMEOUT_MS = 2000;

export class PartitionWorkers {
  readonly #deps: PartitionWorkersDeps;
  readonly #lanes: readonly PartitionProcessor[];
  readonly #leases: LeaseHolder;
  readonly #looking: NodeJS.Timeout;

  constructor(deps: PartitionWorkersDeps) {
    this.#deps = deps;
    this.#lanes = Array.from({ length: PROCESSOR_COUNT }, () => new PartitionProcessor(deps.processor));
    this.#leases = new LeaseHolder({
      store: deps.leases,
      node: deps.node,
      logger: deps.logger,
      onAcquired: (lease) => this.#taken(lease),
      onLost: (lease) => this.#lost(lease),
      onReleased: () => deps.onReleased(),
    });
    this.#looking = setInterval(() => this.#wake(), POLL_INTERVAL_MS);
  }

  get held(): readonly string[] {
    return this.#leases.held;
  }

  start(): void {
    this.#leases.start();
  }

  onMessage({ came, hurry, queued, shipped, leases }: NodeMessage): void {
    if (hurry) for (const lane of this.#lanes) lane.processNow();
    else if (came) for (const lane of this.#lanes) lane.wake();
    if (queued || shipped !== undefined) this.#deps.owner.wake();
    if (leases) this.#leases.renewNow();
  }

  /** What is under way ends, and everything is given up at once. */
  async stop(): Promise<void> {
    clearInterval(this.#looking);
    await this.#leases.stop();
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  #wake(): void {
    for (const lane of this.#lanes) lane.wake();
    this.#deps.owner.wake();
  }

  #laneOf(partition: number): PartitionProcessor | undefined {
    return this.#lanes[partition % this.#lanes.length];
  }

  #taken(lease: Lease): void {
    const partition = partitionOf(lease.name);
    if (partition !== null) {
      this.#laneOf(partition)?.add(partition, lease);
      return;
    }
    this.#deps.owner.start(lease);
    this.#deps.onLeaderChange(true);
  }

  async #lost({ name }: Lease): Promise<void> {
    const partition = partitionOf(name);
    if (partition !== null) return this.#laneOf(partition)?.remove(partition);
    this.#deps.onLeaderChange(false);
    // An event store that hangs must not keep others from taking over: whatever still arrives there has its number.
    await resolvesWithin(STOP_TIMEOUT_MS, this.#deps.owner.stop());
  }
}
