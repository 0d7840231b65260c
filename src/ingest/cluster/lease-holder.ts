/**
 * Holds this worker's leases: renews them every second, acquires free ones up to its share and releases the surplus. A
 * worker that cannot reach the database keeps working on what it held: that is safe, since a commit without the lease
 * fails.
 */
import type { Logger } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { Lease, LeaseStore, NodeInfo } from '../../stores/cluster/leases.ts';
import { planLeases } from './plan-leases.ts';

interface LeaseHolderDeps {
  store: LeaseStore;
  node(): NodeInfo;
  logger: Logger;
  onAcquired(lease: Lease): void;
  /** It is or will be held by another worker; resolves when no work uses it any more. */
  onLost(lease: Lease): Promise<void>;
  /** Others may acquire what was released at once. */
  onReleased(): void;
  intervalMs?: number;
}

const RENEW_INTERVAL_MS = 1000;

export class LeaseHolder {
  readonly #deps: LeaseHolderDeps;
  readonly #held = new Map<string, Lease>();
  #loop: Loop | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: LeaseHolderDeps) {
    this.#deps = deps;
  }

  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  start(): void {
    this.#loop = startLoop({
      step: async () => {
        await this.#renew();
        return false;
      },
      onError: (err) => this.#deps.logger.warn({ err }, 'leases could not be renewed; trying again'),
      maxPauseMs: RENEW_INTERVAL_MS,
    });
    this.#timer = setInterval(() => this.renewNow(), this.#deps.intervalMs ?? RENEW_INTERVAL_MS);
  }

  /** Does not wait for the timer. */
  renewNow(): void {
    this.#loop?.wake();
  }

  /** Releases everything, so that others need not wait until it expires. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#loop?.stop();
    await Promise.all([...this.#held.values()].map((lease) => this.#lost(lease)));
    const { store, node, onReleased } = this.#deps;
    // If the database is away, the leases expire.
    await store.leave(node().id).catch(() => undefined);
    onReleased();
  }

  async #renew(): Promise<void> {
    const { store, node } = this.#deps;
    const me = node();
    const { leases, workers } = await store.renew(me);
    const mine = new Map(leases.filter(({ holder }) => holder === me.id).map((lease) => [lease.name, lease.token]));
    const lost = [...this.#held.values()].filter(({ name, token }) => mine.get(name) !== token);
    await Promise.all(lost.map((lease) => this.#lost(lease)));
    // Acquired by this node without knowing it, as after a lost answer.
    const unknown = leases.filter(({ name, holder }) => holder === me.id && !this.#held.has(name));
    if (unknown.length > 0) await store.release(me.id, unknown);
    const { acquire, release } = planLeases(leases, me.id, workers);
    await this.#release(me.id, release);
    if (acquire.length > 0) for (const lease of await store.acquire(me.id, acquire)) this.#acquired(lease);
  }

  async #release(me: string, names: readonly string[]): Promise<void> {
    const released = names.map((name) => this.#held.get(name)).filter((lease) => lease !== undefined);
    if (released.length === 0) return;
    await Promise.all(released.map((lease) => this.#lost(lease)));
    await this.#deps.store.release(me, released);
    this.#deps.onReleased();
  }

  #acquired(lease: Lease): void {
    this.#held.set(lease.name, lease);
    this.#deps.logger.info({ lease: lease.name }, 'lease acquired');
    this.#deps.onAcquired(lease);
  }

  async #lost(lease: Lease): Promise<void> {
    this.#held.delete(lease.name);
    this.#deps.logger.info({ lease: lease.name }, 'lease released');
    await this.#deps.onLost(lease);
  }
}
