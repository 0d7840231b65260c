import { Failure } from '../core/errors.ts';
import type { Clock } from './clock.ts';

/** Beyond this the oldest names are dropped. */
const MAX_NAMES = 10_000;

/** Counts attempts by name, such as an address or an account, in a sliding window. */
export class Throttle {
  /** Least recent first. */
  readonly #attempts = new Map<string, number[]>();
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(clock: Clock, limit: number, windowMs: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  get size(): number {
    return this.#attempts.size;
  }

  /** 0 when the next attempt is allowed now. */
  secondsUntilAllowed(name: string): number {
    const recent = this.#recent(name);
    const oldest = recent.at(-this.#limit);
    return oldest === undefined ? 0 : Math.ceil((oldest + this.#windowMs - this.#clock.now()) / 1000);
  }

  record(name: string): void {
    const attempts = [...this.#recent(name), this.#clock.now()].slice(-this.#limit);
    this.#attempts.delete(name);
    this.#attempts.set(name, attempts);
    if (this.#attempts.size > MAX_NAMES) this.#dropOldest();
  }

  /** The last attempt was a success after all. */
  undo(name: string): void {
    const attempts = this.#recent(name).slice(0, -1);
    if (attempts.length === 0) this.#attempts.delete(name);
    else this.#attempts.set(name, attempts);
  }

  reset(name: string): void {
    this.#attempts.delete(name);
  }

  #dropOldest(): void {
    const [oldest] = this.#attempts.keys();
    if (oldest !== undefined) this.#attempts.delete(oldest);
  }

  #recent(name: string): number[] {
    const since = this.#clock.now() - this.#windowMs;
    return (this.#attempts.get(name) ?? []).filter((at) => at > since);
  }
}

export const throttled = (seconds: number): Failure =>
  new Failure('throttled', `Request was throttled. Expected available in ${seconds} seconds.`, { retryAfter: seconds });
