/** Lets the event store do what it does for itself, a small piece at a time between two chunks. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { EventStore } from '../../stores/events/event-store.ts';

interface MaintenanceDeps {
  events: Pick<EventStore, 'maintain' | 'needsMaintenance'>;
  clock: Clock;
  logger: Logger;
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

const POLL_INTERVAL_MS = 500;
const RETRY_DELAY_MS = 60_000;

export class Maintenance {
  readonly #deps: MaintenanceDeps;
  readonly #stopping = new AbortController();
  /** The first look is for what somebody else may have left undone. */
  #hasLooked = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Resolves when the piece under way has been done; none follows. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pauseMs = await this.#look();
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Does a piece if there is one; how long to rest after it: as long as it took, so that others get half of the time. */
  async #look(): Promise<number> {
    const { events, clock, runExclusive, logger } = this.#deps;
    const now = clock.now();
    if (this.#hasLooked && !events.needsMaintenance(now)) return POLL_INTERVAL_MS;
    const start = performance.now();
    try {
      await runExclusive(() => events.maintain(now));
      this.#hasLooked = true;
      return performance.now() - start;
    } catch (err) {
      if (!this.#stopping.signal.aborted) logger.warn({ err }, 'the event store could not be tended; trying again');
      return RETRY_DELAY_MS;
    }
  }
}
