/** Combines concurrent items into one write: one write runs at a time, and the next takes all that came meanwhile. */
interface GroupCommitOptions<T, R> {
  /** Returns a result for each item, in order, or fails for all. */
  write(group: readonly T[]): Promise<R[]>;
  sizeOf(item: T): number;
}

interface PendingItem<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

const MAX_GROUP_SIZE = 500;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>;
  #pending: PendingItem<T, R>[] = [];
  #running: Promise<void> | null = null;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options;
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is pending. */
  async finish(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Items added in the same turn of the event loop join this write.
    await new Promise(setImmediate);
    while (this.#pending.length > 0) {
      const group = this.#take();
      try {
        const results = await this.#options.write(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = null;
  }

  #take(): PendingItem<T, R>[] {
    let count = 0;
    let bytes = 0;
    for (const { item } of this.#pending) {
      const size = this.#options.sizeOf(item);
      if (count === MAX_GROUP_SIZE || (count > 0 && bytes + size > MAX_GROUP_BYTES)) break;
      count++;
      bytes += size;
    }
    return this.#pending.splice(0, count);
  }
}
