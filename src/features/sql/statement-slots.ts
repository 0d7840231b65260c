/** At most so many statements run at a time; others wait a moment. */
import { Failure } from '../../core/errors.ts';

const MAX_STATEMENTS = 4;
const MAX_PER_PROJECT = 2;
const MAX_WAIT_MS = 10_000;

export class StatementSlots {
  readonly #running = new Map<number, number>();
  readonly #waiting: (() => void)[] = [];

  async run<T>(projectId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(projectId, signal);
    try {
      return await work();
    } finally {
      this.#leave(projectId);
    }
  }

  async #enter(projectId: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    while (!this.#hasRoom(projectId)) {
      const wait = until - performance.now();
      if (wait <= 0) {
        throw new Failure('unavailable', 'Too many statements are running. Try again in a moment.', {
          code: 'busy',
          retryAfter: 5,
        });
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      signal.throwIfAborted();
    }
    this.#running.set(projectId, (this.#running.get(projectId) ?? 0) + 1);
  }

  #hasRoom(projectId: number): boolean {
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    return all < MAX_STATEMENTS && (this.#running.get(projectId) ?? 0) < MAX_PER_PROJECT;
  }

  #leave(projectId: number): void {
    const count = (this.#running.get(projectId) ?? 1) - 1;
    if (count === 0) this.#running.delete(projectId);
    else this.#running.set(projectId, count);
    // Each checks whether it may run now.
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
