/**
 * Entries that were being processed when the process ended. Each is tried on its own; one that ends the process again and
 * again is set aside, so that the others go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChunkAttempt, MAX_TRIES } from '../../stores/ingest/chunk-attempts.ts';

/** Before an entry is tried on its own once more. */
const PAUSE_MS = 1000;

export class Suspects {
  #waiting: readonly number[];
  /** How often the first one was tried on its own. */
  #tries: number;

  constructor(attempt: ChunkAttempt | null = null) {
    this.#waiting = attempt?.entries ?? [];
    this.#tries = attempt?.tries ?? 0;
  }

  get first(): number | undefined {
    return this.#waiting[0];
  }

  get areNone(): boolean {
    return this.#waiting.length === 0;
  }

  get isFirstPoisonous(): boolean {
    return this.#tries >= MAX_TRIES;
  }

  /**
   * Where something else ends the process again and again as it starts, the first entry to be processed is not to blame
   * for it: by then it has not been tried.
   */
  async pause(): Promise<void> {
    if (this.#tries > 0 && !this.isFirstPoisonous) await sleep(PAUSE_MS);
  }

  /** To be written down before the entries are processed. */
  attemptOf(entries: readonly number[]): ChunkAttempt {
    return { entries, tries: entries.length === 1 ? this.#tries + 1 : 0 };
  }

  /** It is processed, or gone. */
  removeFirst(): void {
    this.#waiting = this.#waiting.slice(1);
    this.#tries = 0;
  }
}
