import type { MaybePromise } from '../../lib/maybe-async.ts';

interface Waiting {
  bytes: number;
  start(): void;
}

/** Runs work in the order it comes, as long as all that runs is about no more than `maxBytes`. */
export class ByteQueue {
  readonly #maxBytes: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #isGranting = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Work on more than `maxBytes` runs alone. */
  async run<T>(bytes: number, work: () => MaybePromise<T>): Promise<T> {
    const own = Math.min(bytes, this.#maxBytes);
    if (this.#waiting.length > 0 || this.#running + own > this.#maxBytes) {
      await new Promise<void>((resolve) => this.#waiting.push({ bytes: own, start: resolve }));
    } else this.#running += own;
    try {
      return await work();
    } finally {
      this.#running -= own;
      this.#grantLater();
    }
  }

  /** After a pause: otherwise what waits would run one after the other, and nobody else would get a turn. */
  #grantLater(): void {
    if (this.#isGranting || this.#waiting.length === 0) return;
    this.#isGranting = true;
    setImmediate(() => {
      this.#isGranting = false;
      this.#grant();
    });
  }

  #grant(): void {
    for (let next = this.#waiting[0]; next && this.#running + next.bytes <= this.#maxBytes; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#running += next.bytes;
      next.start();
    }
  }
}
