/**
 * Slows those who guess keys. A network that has shown many wrong ones waits, and what it shows meanwhile is not looked
 * up at all: so nobody learns whether a guess was right. Keys that were right a while ago go on being so, or one machine
 * with an old key would stop everybody behind the same address.
 */
import { MINUTE_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import { digest } from '../lib/secrets.ts';
import { Throttle, throttled } from '../lib/throttle.ts';

const MAX_WRONG_KEYS = 60;
const WINDOW_MS = MINUTE_MS;
const MAX_KNOWN_KEYS = 10_000;

export class KeyGuard {
  readonly #wrong: Throttle;
  /** Digests of keys that were right; the oldest first. */
  readonly #right = new Set<string>();

  constructor(clock: Clock) {
    this.#wrong = new Throttle(clock, MAX_WRONG_KEYS, WINDOW_MS);
  }

  /** What the key opens; null where it opens nothing, and refused where too many did. */
  async lookUp<T>(key: string, address: string, find: () => Promise<T | null>): Promise<T | null> {
    const hash = digest(key);
    if (this.#right.has(hash)) return this.#lookAgain(hash, address, find);
    const network = networkOf(address);
    const wait = this.#wrong.secondsUntilAllowed(network);
    if (wait > 0) throw throttled(wait);
    // Counted before the answer is known: guesses side by side must not slip through.
    this.#wrong.record(network);
    const found = await find();
    if (found === null) return null;
    this.#wrong.undo(network);
    this.#remember(hash);
    return found;
  }

  /** It may have been revoked since. */
  async #lookAgain<T>(hash: string, address: string, find: () => Promise<T | null>): Promise<T | null> {
    const found = await find();
    if (found !== null) return found;
    this.#right.delete(hash);
    this.#wrong.record(networkOf(address));
    return null;
  }

  #remember(hash: string): void {
    const [oldest] = this.#right;
    if (this.#right.size >= MAX_KNOWN_KEYS && oldest !== undefined) this.#right.delete(oldest);
    this.#right.add(hash);
  }
}
