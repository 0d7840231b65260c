/**
 * An optional limit of the events that a project sends, on average over a minute: a bucket that fills evenly. A request
 * is taken while anything is left, however large it is, and later ones wait until the bucket has filled again. In a
 * cluster each node counts for itself.
 */
import { Failure } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';

const WINDOW_SECONDS = 60;

interface Bucket {
  left: number;
  at: number;
}

export class EventRate {
  readonly #perSecond: number | null;
  readonly #clock: Clock;
  readonly #buckets = new Map<number, Bucket>();

  /** Null: no limit. */
  constructor(perSecond: number | null, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Throws if the project has sent too many. */
  take(projectId: number, events: number): void {
    const perSecond = this.#perSecond;
    if (perSecond === null) return;
    const now = this.#clock.now();
    const full = perSecond * WINDOW_SECONDS;
    const { left, at } = this.#buckets.get(projectId) ?? { left: full, at: now };
    const filled = Math.min(full, left + (Math.max(0, now - at) / 1000) * perSecond);
    if (filled < 1) {
      const retryAfter = Math.ceil((1 - filled) / perSecond);
      throw new Failure('throttled', `This project may send ${perSecond} events per second.`, {
        code: 'rate_limited',
        retryAfter,
      });
    }
    this.#buckets.set(projectId, { left: filled - events, at: now });
  }
}
