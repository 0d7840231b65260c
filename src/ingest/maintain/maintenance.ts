/** Runs a store's own maintenance, a small piece at a time between two chunks. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';

interface MaintenanceDeps {
  store: { maintain(now: number): Promise<unknown>; needsMaintenance(now: number): boolean };
  clock: Clock;
  logger: Logger;
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

const POLL_INTERVAL_MS = 500;
const RETRY_DELAY_MS = 60_000;

export class Maintenance {
  readonly #deps: MaintenanceDeps;
  readonly #stopping = new AbortController();
  /** The first run is unconditional: an earlier process may have left something undone. */
  #hasRun = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Resolves when the current piece is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pauseMs = await this.#runOnce();
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Returns how long to pause: as long as the piece took, so that others get half of the time. */
  async #runOnce(): Promise<number> {
    const { store, clock, runExclusive, logger } = this.#deps;
    const now = clock.now();
    if (this.#hasRun && !store.needsMaintenance(now)) return POLL_INTERVAL_MS;
    const start = performance.now();
    try {
      await runExclusive(() => store.maintain(now));
      this.#hasRun = true;
      return performance.now() - start;
    } catch (err) {
      if (!this.#stopping.signal.aborted) logger.warn({ err }, 'maintenance of a store failed; trying again');
      return RETRY_DELAY_MS;
    }
  }
}
