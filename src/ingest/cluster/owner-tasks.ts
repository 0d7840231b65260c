/** Work on the event store that any node may need and only its owner may do, such as copying persons or deleting events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../core/errors.ts';
import type { OwnerTaskStore } from '../../stores/cluster/owner-tasks.ts';

/** By the name of the task; results are sent as JSON. */
type OwnerTaskHandlers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

const TIMEOUT_MS = 120_000;
/** Messages may get lost. */
const POLL_INTERVAL_MS = 500;

export class OwnerTasks {
  readonly #store: OwnerTaskStore;
  readonly #waiting = new Map<number, () => void>();

  constructor(store: OwnerTaskStore) {
    this.#store = store;
  }

  /** A message said that the task has finished. */
  onFinished(id: number): void {
    this.#waiting.get(id)?.();
  }

  /** Has the owner do it. */
  async request(kind: string, args: readonly unknown[]): Promise<unknown> {
    const id = await this.#store.create(kind, args);
    const end = performance.now() + TIMEOUT_MS;
    try {
      while (performance.now() < end) {
        const outcome = await this.#store.takeOutcome(id);
        if (outcome?.failure) throw new Failure('unavailable', outcome.failure, { retryAfter: 2 });
        if (outcome) return outcome.answer === null ? undefined : JSON.parse(outcome.answer);
        const finished = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
        await Promise.race([finished, sleep(POLL_INTERVAL_MS, undefined, { ref: false })]);
      }
    } finally {
      this.#waiting.delete(id);
    }
    throw new Failure('unavailable', 'No worker owns the event store; try again in a moment.', {
      retryAfter: 5,
    });
  }

  /** For the owner: runs what is pending; true when there was something. */
  async run(kinds: OwnerTaskHandlers): Promise<boolean> {
    const tasks = await this.#store.listPending();
    for (const { id, kind, arguments: args } of tasks) {
      try {
        const answer = await kinds[kind]?.(...(JSON.parse(args) as never[]));
        await this.#store.finish(id, answer === undefined ? {} : { answer: JSON.stringify(answer) });
      } catch (error) {
        await this.#store.finish(id, { failure: error instanceof Error ? error.message : String(error) });
      }
    }
    return tasks.length > 0;
  }
}
