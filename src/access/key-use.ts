/**
 * When and from where keys were last used. Requests do not wait for it: at most once a minute and key a time is written
 * behind the answer, so that of the last uses before a crash one may be missing.
 */
import { DAY_MS, MINUTE_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { type Logger, shortenAddress } from '../lib/log.ts';
import type { PersonalKey, User } from '../stores/metadata/accounts.ts';
import type { PersonalKeyStore } from '../stores/metadata/metadata-store.ts';

interface KeyUseDeps {
  store: Pick<PersonalKeyStore, 'setLastUsed'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  /** Keys stop when their owner, who has to sign in by a provider, has not done so for that long. Null: never. */
  maxIdleDays?: number | null;
  /** Whether people with this address have to. */
  isEnforced?(email: string): Promise<boolean>;
}

const WRITE_INTERVAL_MS = MINUTE_MS;
const MAX_REMEMBERED_KEYS = 10_000;

export class KeyUse {
  readonly #deps: KeyUseDeps;
  /** Id → when a write was last begun; the row may be older than that. */
  readonly #begun = new Map<string, number>();
  readonly #writing = new Set<Promise<void>>();

  constructor(deps: KeyUseDeps) {
    this.#deps = deps;
  }

  record({ id, lastUsedAt }: Pick<PersonalKey, 'id' | 'lastUsedAt'>, address: string): void {
    const now = this.#deps.clock.now();
    const last = Math.max(lastUsedAt ?? 0, this.#begun.get(id) ?? 0);
    if (now - last < WRITE_INTERVAL_MS) return;
    if (this.#begun.size >= MAX_REMEMBERED_KEYS) this.#begun.clear();
    this.#begun.set(id, now);
    const write = this.#write(id, now, address);
    this.#writing.add(write);
    void write.finally(() => this.#writing.delete(write));
  }

  /** Whether the owner's keys have stopped, until they sign in again. */
  async isStopped({ email, lastSignedInAt, joinedAt }: User): Promise<boolean> {
    const { maxIdleDays = null, isEnforced, clock } = this.#deps;
    if (maxIdleDays === null || isEnforced === undefined) return false;
    const isIdle = clock.now() - (lastSignedInAt ?? joinedAt) > maxIdleDays * DAY_MS;
    return isIdle && isEnforced(email);
  }

  async #write(id: string, now: number, address: string): Promise<void> {
    try {
      await this.#deps.store.setLastUsed(id, now, shortenAddress(address));
    } catch (err) {
      this.#deps.log.warn({ err }, 'could not write when a key was last used');
    }
  }

  /** Resolves when everything is written. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
