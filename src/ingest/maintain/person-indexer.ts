/**
 * Keeps the index of persons close behind their changes. It is written between two chunks of events: at once while there
 * are none, and a piece now and then while they keep coming.
 */
import type { Logger } from '../../lib/log.ts';
import type { PersonIndexWriter } from '../../stores/metadata/person-index.ts';

interface PersonIndexerDeps {
  index: Pick<PersonIndexWriter, 'catchUp'>;
  /** Runs work when no chunk is under way. */
  runExclusive(work: () => Promise<boolean>): Promise<boolean>;
  logger: Logger;
  /** So long there are no events before it begins; so long it waits between two pieces while there are. */
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
  #lastPiece = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(deps: PersonIndexerDeps) {
    this.#deps = { idleMs: 1000, busyMs: 3000, ...deps };
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
    const early = this.#lastPiece + this.#deps.busyMs - performance.now();
    if (!this.#isIdle && early > 0) this.#within(early);
    else this.#running = this.#runAndGoOn();
  }

  #runAndGoOn(): Promise<void> {
    return this.#run()
      .then(() => (this.#isIdle ? this.#deps.idleMs : this.#deps.busyMs))
      .catch((err: unknown) => {
        this.#hasNews = true;
        const { logger, busyMs } = this.#deps;
        if (!this.#isStopped) logger.warn({ err }, 'the index of persons could not be written; trying again');
        return busyMs;
      })
      .then((pauseMs) => {
        this.#running = null;
        if (this.#hasNews) this.#within(pauseMs);
      });
  }

  /** To the end, or one piece while there are events. */
  async #run(): Promise<void> {
    do {
      this.#hasNews = false;
      if (await this.#deps.runExclusive(() => this.#deps.index.catchUp())) this.#hasNews = true;
      this.#lastPiece = performance.now();
    } while (this.#hasNews && this.#isIdle && !this.#isStopped);
  }
}
