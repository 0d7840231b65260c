/**
 * Entries that were being processed when the process ended. Each is tried on its own; one that ends the process again and
 * again is set aside, so that the others go on.
 */
import { type ChunkAttempt, MAX_TRIES } from '../../stores/ingest/chunk-attempts.ts';

export class Suspects {
  #waiting: readonly number[];
  /** How often the first one was tried on its own. */
  #tries: number;
  /** When the first one may be tried, by `performance.now()`. */
  #notBefore: number;

  /**
   * `pauseMs`: before an entry is tried on its own once more. Where the process is ended soon after each start, by others,
   * what it processes first is not to blame for that.
   */
  constructor(attempt: ChunkAttempt | null, pauseMs: number) {
    this.#waiting = attempt?.entries ?? [];
    this.#tries = attempt?.tries ?? 0;
    this.#notBefore = this.#tries === 0 || this.isFirstPoisonous ? 0 : performance.now() + pauseMs;
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

  /** Until the first one may be tried. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  /** To be written down before the entries are processed. */
  attemptOf(entries: readonly number[]): ChunkAttempt {
    const isSuspect = entries.length === 1 && entries[0] === this.first;
    return { entries, tries: isSuspect ? this.#tries + 1 : 0 };
  }

  /** It is processed, or gone. */
  removeFirst(): void {
    this.#waiting = this.#waiting.slice(1);
    this.#tries = 0;
    this.#notBefore = 0;
  }
}
