/**
 * Brings finished events to the event store, and has it do what was ordered, in the order of one queue. One worker of
 * the whole does it at a time; everything else that writes to the event store is done by the same, between two steps.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { BlockQueue } from '../../stores/cluster/block-queue.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';

interface ShipperDeps {
  node: string;
  queue: BlockQueue;
  events: Pick<BlockStore, 'writeBlocks' | 'reassign' | 'position'>;
  logger: Logger;
  /** Runs between two steps; true when it has done something. */
  runOwnerTasks?(): Promise<boolean>;
  /** So long a small shipment waits for company. */
  batchDelayMs?: number;
}

const MAX_EVENTS = 250_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** From so many events on, nothing is gained by waiting. */
const FULL_BATCH_EVENTS = 20_000;
const BATCH_DELAY_MS = 200;

export class Shipper {
  readonly #deps: ShipperDeps;
  readonly #lease: Lease;
  readonly #loop: Loop;
  readonly #errands: { run(): Promise<void>; reject(error: unknown): void }[] = [];
  #isLevel = false;
  #isStopped = false;

  constructor(deps: ShipperDeps, lease: Lease) {
    this.#deps = deps;
    this.#lease = lease;
    this.#loop = startLoop({
      step: () => this.#step(),
      onError: (err, pauseMs) => deps.logger.warn({ err, pauseMs }, 'events could not be shipped; trying again'),
      maxPauseMs: 5000,
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Runs `work` when nothing is under way to the event store. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(new Error('The shipper has stopped.'));
      this.#errands.push({ run: async () => resolve(await work()), reject });
      this.wake();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    for (const { reject } of this.#errands.splice(0)) reject(new Error('The shipper has stopped.'));
  }

  async #step(): Promise<boolean> {
    for (let errand = this.#errands.shift(); errand; errand = this.#errands.shift()) {
      await errand.run().catch(errand.reject);
    }
    if (await this.#deps.runOwnerTasks?.()) return true;
    await this.#level();
    return this.#ship();
  }

  /** Once: a database that was restored from a backup must not give numbers that the event store takes for old ones. */
  async #level(): Promise<void> {
    if (this.#isLevel) return;
    await this.#deps.queue.skipTo(await this.#deps.events.position());
    this.#isLevel = true;
  }

  async #ship(): Promise<boolean> {
    const { queue, node, events } = this.#deps;
    const begun = await queue.runningShipment();
    if (begun) {
      await events.writeBlocks(begun);
      await queue.completeShipment(node, this.#lease, begun.position);
      return true;
    }
    const next = await queue.next(MAX_EVENTS, MAX_BYTES);
    if (next === null) return false;
    if ('reassignments' in next) {
      await queue.completeReassignments(node, this.#lease, await events.reassign(next.reassignments));
      return true;
    }
    const early = (this.#deps.batchDelayMs ?? BATCH_DELAY_MS) - next.waitedMs;
    if (next.events < FULL_BATCH_EVENTS && early > 0) await sleep(early);
    else await queue.beginShipment(node, this.#lease, next.numbers);
    return true;
  }
}
