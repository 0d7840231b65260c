/** Work that others hand in and the owner of the queue runs, one piece after the other. */
export class WorkQueue {
  readonly #waiting: { run(): Promise<void>; reject(error: unknown): void }[] = [];

  push<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run: async () => resolve(await work()), reject });
    });
  }

  async runAll(): Promise<void> {
    for (let work = this.#waiting.shift(); work; work = this.#waiting.shift()) await work.run().catch(work.reject);
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
