/**
 * When and from where keys were last used, and the first use from each network. Requests do not wait for it: it is written
 * behind the answer, the time at most once a minute and key; so of the last uses before a crash one may be missing.
 */
import { DAY_MS, MINUTE_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { wideNetworkOf } from '../lib/network.ts';
import type { PersonalKey, User } from '../stores/metadata/accounts.ts';
import type { PersonalKeyStore } from '../stores/metadata/metadata-store.ts';

interface KeyUseDeps {
  store: Pick<PersonalKeyStore, 'setLastUsed'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  /** Where the first use from a network is told. False: not now, ask again at the next use. */
  networks?: { record(key: PersonalKey, address: string): Promise<boolean> };
  /** Keys stop when their owner, who has to sign in by a provider, has not done so for that long. Null: never. */
  maxIdleDays?: number | null;
  /** Whether people with this address have to. */
  isEnforced?(email: string): Promise<boolean>;
}

const WRITE_INTERVAL_MS = MINUTE_MS;
const MAX_REMEMBERED = 10_000;

export class KeyUse {
  readonly #deps: KeyUseDeps;
  /** Id → when a write was last begun; the row may be older than that. */
  readonly #begun = new Map<string, number>();
  /** Id and network of uses that are recorded. */
  readonly #seen = new Set<string>();
  readonly #writing = new Set<Promise<void>>();

  constructor(deps: KeyUseDeps) {
    this.#deps = deps;
  }

  record(key: PersonalKey, address: string): void {
    const { id, lastUsedAt } = key;
    const now = this.#deps.clock.now();
    const network = `${id} ${wideNetworkOf(address)}`;
    const isNew = this.#deps.networks !== undefined && !this.#seen.has(network);
    const last = Math.max(lastUsedAt ?? 0, this.#begun.get(id) ?? 0);
    const isDue = now - last >= WRITE_INTERVAL_MS;
    if (!isNew && !isDue) return;
    if (isNew) remember(this.#seen, () => this.#seen.add(network));
    if (isDue) remember(this.#begun, () => this.#begun.set(id, now));
    const write = this.#write(key, address, { network: isNew ? network : null, now: isDue ? now : null });
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

  /** The network first: the address of the last use must not be known before it was told. */
  async #write(
    key: PersonalKey,
    address: string,
    { network, now }: { network: string | null; now: number | null },
  ): Promise<void> {
    try {
      if (network !== null && !(await this.#deps.networks?.record(key, address))) this.#seen.delete(network);
      if (now !== null) await this.#deps.store.setLastUsed(key.id, now, wideNetworkOf(address));
    } catch (err) {
      if (network !== null) this.#seen.delete(network);
      this.#deps.log.warn({ err }, 'could not write when a key was last used');
    }
  }

  /** Resolves when everything is written. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#writing);
  }
}

function remember(known: { size: number; clear(): void }, add: () => void): void {
  if (known.size >= MAX_REMEMBERED) known.clear();
  add();
}
