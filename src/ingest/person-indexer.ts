/**
 * Keeps the index of persons close behind their changes. It is written between two chunks, where it costs the processing
 * of events nothing: at once while there are no events, and a little now and then while there are.
 */
import type { Logger } from '../lib/log.ts';
import type { PersonIndexKeeper } from '../stores/person-index.ts';

export interface PersonIndexerDeps {
  index: Pick<PersonIndexKeeper, 'catchUp'>;
  /** Runs work when no chunk is under way. */
  between(work: () => Promise<boolean>): Promise<boolean>;
  logger: Logger;
  /** After so long without events; and the same while they keep coming, where a piece takes a fiftieth of the time. */
  idleMs?: number;
  busyMs?: number;
}

export class PersonIndexer {
  readonly #deps: Required<PersonIndexerDeps>;
  #isIdle = true;
  /** Persons may have changed since it was looked after the index. */
  #hasNews = true;
  #next: { timer: NodeJS.Timeout; due: number } | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: PersonIndexerDeps) {
    this.#deps = { idleMs: 300, busyMs: 3000, ...deps };
  }

  /** A chunk was processed. */
  onProcessed(): void {
    this.#isIdle = false;
    this.#hasNews = true;
    this.#within(this.#deps.busyMs);
  }

  /** There are no events to be processed: so it is also at the start. */
  onIdle(): void {
    this.#isIdle = true;
    if (this.#hasNews) this.#within(this.#deps.idleMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#next?.timer);
    await this.#running;
  }

  #within(ms: number): void {
    const due = performance.now() + ms;
    if (this.#isStopped || this.#running || (this.#next !== null && this.#next.due <= due)) return;
    clearTimeout(this.#next?.timer);
    this.#next = { timer: setTimeout(() => this.#start(), ms), due };
  }

  #start(): void {
    this.#next = null;
    this.#running = this.#run()
      .catch((err: unknown) => {
        this.#hasNews = true;
        if (!this.#isStopped)
          this.#deps.logger.warn({ err }, 'the index of persons could not be written; trying again');
      })
      .finally(() => {
        this.#running = null;
        if (this.#hasNews) this.#within(this.#isIdle ? this.#deps.idleMs : this.#deps.busyMs);
      });
  }

  /** To the end, or one piece while there are events. */
  async #run(): Promise<void> {
    do {
      this.#hasNews = false;
      if (await this.#deps.between(() => this.#deps.index.catchUp())) this.#hasNews = true;
    } while (this.#hasNews && this.#isIdle && !this.#isStopped);
  }
}
