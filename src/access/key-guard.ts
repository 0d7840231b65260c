/**
 * Limits guessing of keys. A network that has sent many invalid keys has to wait, and keys that it sends meanwhile are not
 * looked up, so nobody learns whether a guess was right. Keys that were valid before are exempt: otherwise one machine
 * with an old key would lock out everybody behind the same address.
 */
import { MINUTE_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import { digest } from '../lib/secrets.ts';
import { Throttle, throttled } from '../lib/throttle.ts';

const MAX_INVALID_KEYS = 60;
const WINDOW_MS = MINUTE_MS;
const MAX_KNOWN_KEYS = 10_000;

export class KeyGuard {
  readonly #invalid: Throttle;
  /** Digests of keys that were valid, the oldest first. */
  readonly #valid = new Set<string>();

  constructor(clock: Clock) {
    this.#invalid = new Throttle(clock, MAX_INVALID_KEYS, WINDOW_MS);
  }

  /** The result of `find`, or null. Throws if the network has sent too many invalid keys. */
  async lookUp<T>(key: string, address: string, find: () => Promise<T | null>): Promise<T | null> {
    const hash = digest(key);
    if (this.#valid.has(hash)) return this.#lookUpKnown(hash, address, find);
    const network = networkOf(address);
    const wait = this.#invalid.secondsUntilAllowed(network);
    if (wait > 0) throw throttled(wait);
    // Recorded before the result is known, so that parallel guesses are counted.
    this.#invalid.record(network);
    const found = await find();
    if (found === null) return null;
    this.#invalid.undo(network);
    this.#remember(hash);
    return found;
  }

  /** The key may have been revoked since. */
  async #lookUpKnown<T>(hash: string, address: string, find: () => Promise<T | null>): Promise<T | null> {
    const found = await find();
    if (found !== null) return found;
    this.#valid.delete(hash);
    this.#invalid.record(networkOf(address));
    return null;
  }

  #remember(hash: string): void {
    const [oldest] = this.#valid;
    if (this.#valid.size >= MAX_KNOWN_KEYS && oldest !== undefined) this.#valid.delete(oldest);
    this.#valid.add(hash);
  }
}
