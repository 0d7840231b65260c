/**
 * Keeps the person index up to date. It is written between two chunks of events: to the end while there are none, a piece
 * now and then while they keep coming.
 */
import type { Logger } from '../../lib/log.ts';
import type { PersonIndexWriter } from '../../stores/metadata/person-index.ts';

interface PersonIndexerDeps {
  index: Pick<PersonIndexWriter, 'catchUp'>;
  /** Runs work between two chunks. */
  runExclusive(work: () => Promise<boolean>): Promise<boolean>;
  logger: Logger;
  /** Pause before the index is written: when there are no more events, and between two pieces while there are. */
  idleMs?: number;
  busyMs?: number;
}

export class PersonIndexer {
  readonly #deps: Required<PersonIndexerDeps>;
  #isIdle = true;
  /** Persons may have changed since the index was written. */
  #isBehind = true;
  #next: { timer: NodeJS.Timeout; due: number } | null = null;
  #running: Promise<void> | null = null;
  #lastRunAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(deps: PersonIndexerDeps) {
    this.#deps = { idleMs: 1000, busyMs: 3000, ...deps };
  }

  /** A chunk was processed. */
  onProcessed(): void {
    this.#isIdle = false;
    this.#isBehind = true;
    this.#schedule(this.#deps.busyMs);
  }

  /** There are no events to process. */
  onIdle(): void {
    this.#isIdle = true;
    if (this.#isBehind) this.#schedule(this.#deps.idleMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#next?.timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#isStopped || this.#running || (this.#next !== null && this.#next.due <= due)) return;
    clearTimeout(this.#next?.timer);
    this.#next = { timer: setTimeout(() => this.#start(), ms), due };
  }

  #start(): void {
    this.#next = null;
    const remaining = this.#lastRunAt + this.#deps.busyMs - performance.now();
    if (!this.#isIdle && remaining > 0) this.#schedule(remaining);
    else this.#running = this.#runAndReschedule();
  }

  #runAndReschedule(): Promise<void> {
    return this.#run()
      .then(() => (this.#isIdle ? this.#deps.idleMs : this.#deps.busyMs))
      .catch((err: unknown) => {
        this.#isBehind = true;
        const { logger, busyMs } = this.#deps;
        if (!this.#isStopped) logger.warn({ err }, 'the person index could not be written; trying again');
        return busyMs;
      })
      .then((pauseMs) => {
        this.#running = null;
        if (this.#isBehind) this.#schedule(pauseMs);
      });
  }

  /** To the end while idle, one piece while there are events. */
  async #run(): Promise<void> {
    do {
      this.#isBehind = false;
      if (await this.#deps.runExclusive(() => this.#deps.index.catchUp())) this.#isBehind = true;
      this.#lastRunAt = performance.now();
    } while (this.#isBehind && this.#isIdle && !this.#isStopped);
  }
}
