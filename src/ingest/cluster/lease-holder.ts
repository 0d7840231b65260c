/**
 * Holds this worker's leases: says every second that it lives, takes what is free up to its share, gives what is too
 * much. A worker that cannot reach the database keeps working on what it thinks it has: whoever took it over is safe,
 * because a commit without the lease fails.
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
  /** To be let go of, because it is another's already or is to become it; resolves when nothing is under way with it. */
  onLost(lease: Lease): Promise<void>;
  /** Something was given up: others may want it at once. */
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
        await this.#beat();
        return false;
      },
      onError: (err) => this.#deps.logger.warn({ err }, 'leases could not be renewed; trying again'),
      maxPauseMs: RENEW_INTERVAL_MS,
    });
    this.#timer = setInterval(() => this.renewNow(), this.#deps.intervalMs ?? RENEW_INTERVAL_MS);
  }

  /** Sooner than the clock would have it. */
  renewNow(): void {
    this.#loop?.wake();
  }

  /** Gives everything up, so that others need not wait until it runs out. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#loop?.stop();
    await Promise.all([...this.#held.values()].map((lease) => this.#drop(lease)));
    const { store, node, onReleased } = this.#deps;
    // Where the database is away, it runs out by itself.
    await store.leave(node().id).catch(() => undefined);
    onReleased();
  }

  async #beat(): Promise<void> {
    const { store, node } = this.#deps;
    const me = node();
    const { leases, workers } = await store.renew(me);
    const mine = new Map(leases.filter(({ holder }) => holder === me.id).map((lease) => [lease.name, lease.token]));
    const lost = [...this.#held.values()].filter(({ name, token }) => mine.get(name) !== token);
    await Promise.all(lost.map((lease) => this.#drop(lease)));
    // What this node took and does not know of, as after a fault or a lost answer: others shall have it.
    const unknown = leases.filter(({ name, holder }) => holder === me.id && !this.#held.has(name));
    if (unknown.length > 0) await store.release(me.id, unknown);
    const { acquire, release } = planLeases(leases, me.id, workers);
    await this.#give(me.id, release);
    if (acquire.length > 0) for (const lease of await store.acquire(me.id, acquire)) this.#take(lease);
  }

  async #give(me: string, names: readonly string[]): Promise<void> {
    const given = names.map((name) => this.#held.get(name)).filter((lease) => lease !== undefined);
    if (given.length === 0) return;
    await Promise.all(given.map((lease) => this.#drop(lease)));
    await this.#deps.store.release(me, given);
    this.#deps.onReleased();
  }

  #take(lease: Lease): void {
    this.#held.set(lease.name, lease);
    this.#deps.logger.info({ lease: lease.name }, 'took a lease');
    this.#deps.onAcquired(lease);
  }

  async #drop(lease: Lease): Promise<void> {
    this.#held.delete(lease.name);
    this.#deps.logger.info({ lease: lease.name }, 'let a lease go');
    await this.#deps.onLost(lease);
  }
}
