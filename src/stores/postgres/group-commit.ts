/** Puts what waits at the same moment into one write: one is under way at a time, and the next takes all that came. */
interface GroupCommitOptions<T, R> {
  /** Answers for each, in their order; or fails for all. */
  write(group: readonly T[]): Promise<R[]>;
  sizeOf(one: T): number;
}

interface Waiting<T, R> {
  one: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** A group stops growing here; the rest goes with the next one. */
const MAX_GROUP_SIZE = 500;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #running: Promise<void> | null = null;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options;
  }

  add(one: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ one, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits any more. */
  async finish(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Whoever comes in the same turn of the event loop goes along.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const group = this.#take();
      try {
        const results = await this.#options.write(group.map(({ one }) => one));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = null;
  }

  #take(): Waiting<T, R>[] {
    let count = 0;
    let bytes = 0;
    for (const { one } of this.#waiting) {
      const size = this.#options.sizeOf(one);
      if (count === MAX_GROUP_SIZE || (count > 0 && bytes + size > MAX_GROUP_BYTES)) break;
      count++;
      bytes += size;
    }
    return this.#waiting.splice(0, count);
  }
}
