/**
 * How many requests to the private API a personal key may make in a minute, so that a script in a loop does not take the
 * console's time. In a cluster each node counts for itself. Capture and flags are not counted.
 */
import type { FastifyReply } from 'fastify';
import { MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import { throttled } from '../../lib/throttle.ts';

interface Window {
  start: number;
  requests: number;
}

const MAX_KEYS = 10_000;

export class KeyRate {
  readonly #limit: number | null;
  readonly #clock: Clock;
  /** Id of a key → its current minute, the oldest first. */
  readonly #windows = new Map<string, Window>();

  /** @param limit Requests a minute; null: no limit. */
  constructor(limit: number | null, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Says in the headers what is left. Throws if nothing is. */
  count(keyId: string, reply: FastifyReply): void {
    const limit = this.#limit;
    if (limit === null) return;
    const now = this.#clock.now();
    const window = this.#windowOf(keyId, now);
    window.requests++;
    const seconds = Math.max(1, Math.ceil((window.start + MINUTE_MS - now) / SECOND_MS));
    const left = Math.max(0, limit - window.requests);
    reply.headers({ 'ratelimit-policy': `"key";q=${limit};w=60`, ratelimit: `"key";r=${left};t=${seconds}` });
    if (window.requests > limit) throw throttled(seconds);
  }

  #windowOf(keyId: string, now: number): Window {
    const known = this.#windows.get(keyId);
    // A clock that was set back begins another one, too.
    if (known !== undefined && now >= known.start && now < known.start + MINUTE_MS) return known;
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= MAX_KEYS && oldest !== undefined) this.#windows.delete(oldest);
    const window = { start: now, requests: 0 };
    this.#windows.delete(keyId);
    this.#windows.set(keyId, window);
    return window;
  }
}
