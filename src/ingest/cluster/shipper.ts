/**
 * Ships blocks of processed events to the event store, and carries out reassignments, in the order of one queue. One
 * worker of the cluster does it at a time; everything else that writes to the event store runs between two of its steps.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import type { BlockQueue } from '../../stores/cluster/block-queue.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';

interface ShipperDeps {
  node: string;
  queue: BlockQueue;
  events: Pick<BlockStore, 'writeBlocks' | 'reassign' | 'position'>;
  logger: Logger;
  /** Called once, before the first shipment. */
  compareStores?(): Promise<void>;
  /** Called between two steps; true when it has done something. */
  runOwnerTasks?(): Promise<boolean>;
  /** How long a small shipment waits for more events. */
  batchDelayMs?: number;
}

const MAX_EVENTS = 250_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** From here on nothing is gained by waiting. */
const FULL_BATCH_EVENTS = 20_000;
const BATCH_DELAY_MS = 200;

const stopped = (): Error => new Error('The shipper has stopped.');

export class Shipper {
  readonly #deps: ShipperDeps;
  readonly #lease: Lease;
  readonly #loop: Loop;
  readonly #queue = new WorkQueue();
  #isAligned = false;
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

  /** Runs `work` while nothing else is written to the event store. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isStopped) return Promise.reject(stopped());
    const done = this.#queue.push(work);
    this.wake();
    return done;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    this.#queue.rejectAll(stopped());
  }

  async #step(): Promise<boolean> {
    await this.#queue.runAll();
    if (await this.#deps.runOwnerTasks?.()) return true;
    await this.#align();
    return this.#ship();
  }

  /** Once: a database restored from a backup must not give out numbers that the event store has seen. */
  async #align(): Promise<void> {
    if (this.#isAligned) return;
    await this.#deps.compareStores?.();
    await this.#deps.queue.skipTo(await this.#deps.events.position());
    this.#isAligned = true;
  }

  async #ship(): Promise<boolean> {
    const { queue, node, events } = this.#deps;
    const running = await queue.runningShipment();
    if (running) {
      await events.writeBlocks(running);
      await queue.completeShipment(node, this.#lease, running.position);
      return true;
    }
    const next = await queue.next(MAX_EVENTS, MAX_BYTES);
    if (next === null) return false;
    if ('reassignments' in next) {
      await queue.completeReassignments(node, this.#lease, await events.reassign(next.reassignments));
      return true;
    }
    const remaining = (this.#deps.batchDelayMs ?? BATCH_DELAY_MS) - next.waitedMs;
    if (next.events < FULL_BATCH_EVENTS && remaining > 0) await sleep(remaining);
    else await queue.beginShipment(node, this.#lease, next.numbers);
    return true;
  }
}
