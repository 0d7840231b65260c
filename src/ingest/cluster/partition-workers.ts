/** What a worker of a cluster does: hold leases, process partitions, and own the event store if it is the leader. */
import type { Logger } from '../../lib/log.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
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
  /** This process has become the leader of the cluster, or no longer is. */
  onLeaderChange(isLeader: boolean): void;
  onReleased(): void;
}

/** While one waits for the database, the other computes. They share a thread, so more would only make smaller chunks. */
const PROCESSOR_COUNT = 2;
/** Messages may get lost. */
const POLL_INTERVAL_MS = 1000;
const STOP_TIMEOUT_MS = 2000;

export class PartitionWorkers {
  readonly #deps: PartitionWorkersDeps;
  readonly #processors: readonly PartitionProcessor[];
  readonly #leases: LeaseHolder;
  readonly #timer: NodeJS.Timeout;

  constructor(deps: PartitionWorkersDeps) {
    this.#deps = deps;
    this.#processors = Array.from({ length: PROCESSOR_COUNT }, () => new PartitionProcessor(deps.processor));
    this.#leases = new LeaseHolder({
      store: deps.leases,
      node: deps.node,
      logger: deps.logger,
      onAcquired: (lease) => this.#acquired(lease),
      onLost: (lease) => this.#lost(lease),
      onReleased: () => deps.onReleased(),
    });
    this.#timer = setInterval(() => this.#wake(), POLL_INTERVAL_MS);
  }

  get held(): readonly string[] {
    return this.#leases.held;
  }

  start(): void {
    this.#leases.start();
  }

  onMessage({ came, hurry, queued, shipped, leases }: NodeMessage): void {
    if (hurry) for (const processor of this.#processors) processor.processNow();
    else if (came) for (const processor of this.#processors) processor.wake();
    if (queued || shipped !== undefined) this.#deps.owner.wake();
    if (leases) this.#leases.renewNow();
  }

  /** Finishes the current chunks, and releases all leases at once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#leases.stop();
    await Promise.all(this.#processors.map((processor) => processor.stop()));
  }

  #wake(): void {
    for (const processor of this.#processors) processor.wake();
    this.#deps.owner.wake();
  }

  #processorOf(partition: number): PartitionProcessor | undefined {
    return this.#processors[partition % this.#processors.length];
  }

  #acquired(lease: Lease): void {
    const partition = partitionOf(lease.name);
    if (partition !== null) {
      this.#processorOf(partition)?.add(partition, lease);
      return;
    }
    this.#deps.owner.start(lease);
    this.#deps.onLeaderChange(true);
  }

  async #lost({ name }: Lease): Promise<void> {
    const partition = partitionOf(name);
    if (partition !== null) return this.#processorOf(partition)?.remove(partition);
    this.#deps.onLeaderChange(false);
    // An event store that hangs must not keep another worker from taking over; blocks are numbered, so none is stored twice.
    await resolvesWithin(STOP_TIMEOUT_MS, this.#deps.owner.stop());
  }
}
