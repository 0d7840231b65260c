import type { Clock } from './clock.ts';

/** Counts attempts by name (an address, an account) in a sliding window, and says how long to wait. */
export class Throttle {
  readonly #attempts = new Map<string, number[]>();
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(clock: Clock, limit: number, windowMs: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Seconds to wait before the next attempt; 0 when it may be made now. */
  waitFor(name: string): number {
    const recent = this.#recent(name);
    const oldest = recent.at(-this.#limit);
    return oldest === undefined ? 0 : Math.ceil((oldest + this.#windowMs - this.#clock.now()) / 1000);
  }

  record(name: string): void {
    this.#attempts.set(name, [...this.#recent(name), this.#clock.now()].slice(-this.#limit));
    if (this.#attempts.size > 10_000) this.#forgetOld();
  }

  forget(name: string): void {
    this.#attempts.delete(name);
  }

  #recent(name: string): number[] {
    const since = this.#clock.now() - this.#windowMs;
    return (this.#attempts.get(name) ?? []).filter((at) => at > since);
  }

  /** Somebody tries many names: keep the memory bounded. */
  #forgetOld(): void {
    for (const name of this.#attempts.keys()) {
      if (this.#recent(name).length === 0) this.#attempts.delete(name);
    }
  }
}
