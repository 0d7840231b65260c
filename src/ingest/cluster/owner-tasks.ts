/**
 * Work on the event store that only its keeper may do, asked for by any node: to copy persons, to remove events. Where
 * the keeper is this very process it is done here; else it is asked of the one that is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../core/errors.ts';
import type { OwnerTaskStore } from '../../stores/cluster/owner-tasks.ts';

/** What can be asked, by its name; the answer travels as JSON. */
type OwnerTaskHandlers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

const TIMEOUT_MS = 120_000;
/** The news of the end may get lost. */
const POLL_INTERVAL_MS = 500;

export class OwnerTasks {
  readonly #store: OwnerTaskStore;
  readonly #waiting = new Map<number, () => void>();

  constructor(store: OwnerTaskStore) {
    this.#store = store;
  }

  /** The news said that it has ended. */
  onFinished(id: number): void {
    this.#waiting.get(id)?.();
  }

  /** Asks it of whoever is the keeper. */
  async request(kind: string, args: readonly unknown[]): Promise<unknown> {
    const id = await this.#store.create(kind, args);
    const end = performance.now() + TIMEOUT_MS;
    try {
      while (performance.now() < end) {
        const outcome = await this.#store.takeOutcome(id);
        if (outcome?.failure) throw new Failure('unavailable', outcome.failure, { retryAfter: 2 });
        if (outcome) return outcome.answer === null ? undefined : JSON.parse(outcome.answer);
        const told = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
        await Promise.race([told, sleep(POLL_INTERVAL_MS, undefined, { ref: false })]);
      }
    } finally {
      this.#waiting.delete(id);
    }
    throw new Failure('unavailable', 'No worker takes care of the event store; try again in a moment.', {
      retryAfter: 5,
    });
  }

  /** For the keeper: does what waits; true when there was something. */
  async run(kinds: OwnerTaskHandlers): Promise<boolean> {
    const errands = await this.#store.listPending();
    for (const { id, kind, arguments: args } of errands) {
      try {
        const answer = await kinds[kind]?.(...(JSON.parse(args) as never[]));
        await this.#store.finish(id, answer === undefined ? {} : { answer: JSON.stringify(answer) });
      } catch (error) {
        await this.#store.finish(id, { failure: error instanceof Error ? error.message : String(error) });
      }
    }
    return errands.length > 0;
  }
}
