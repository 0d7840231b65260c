/**
 * The first use of a personal key from a network, in the audit log of its owner's organizations: a key that was copied is
 * used from somewhere else. Programs that run in a cloud come from ever new networks, so an hour has a few entries a key;
 * what is left out is told at a later use.
 */
import { withOrigin } from '../../access/request-origin.ts';
import { HOUR_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { shortenAddress } from '../../lib/log.ts';
import { wideNetworkOf } from '../../lib/network.ts';
import { Throttle } from '../../lib/throttle.ts';
import type { PersonalKey } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from './account-activity.ts';
import { keyActivity } from './personal-keys.ts';

interface KeyNetworkDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

const MAX_ENTRIES_PER_HOUR = 10;

export class KeyNetworks {
  readonly #deps: KeyNetworkDeps;
  readonly #recorded: Throttle;

  constructor(deps: KeyNetworkDeps) {
    this.#deps = deps;
    this.#recorded = new Throttle(deps.clock, MAX_ENTRIES_PER_HOUR, HOUR_MS);
  }

  /** False: not now, because there were too many. */
  async record(key: PersonalKey, address: string): Promise<boolean> {
    if (this.#recorded.secondsUntilAllowed(key.id) > 0) return false;
    this.#recorded.record(key.id);
    if (!(await this.#write(key, address))) this.#recorded.undo(key.id);
    return true;
  }

  /** False if there is nothing new to tell. */
  #write(key: PersonalKey, address: string): Promise<boolean> {
    const from = shortenAddress(address);
    const origin = { via: 'personal_key', address: from, key: { id: key.id, label: key.label } } as const;
    return withOrigin(origin, () =>
      this.#deps.metadata.transaction(async (store) => {
        if (!(await store.personalKeys.addNetwork(key.id, wideNetworkOf(address), this.#deps.clock.now())))
          return false;
        // Keys of earlier versions have a last use, but no networks.
        if (key.lastUsedFrom === from) return false;
        const user = await store.users.get(key.userId);
        if (!user) return false;
        await recordAccountActivity(this.#deps, store, user, {
          ...keyActivity(key),
          activity: 'used_from_new_network',
          trigger: { from },
        });
        return true;
      }),
    );
  }
}
