/** Failed sign-ins in the activity log of the account's organizations. */
import { HOUR_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import { Throttle } from '../../lib/throttle.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { fromAddress, recordAccountActivity } from './account-activity.ts';

interface FailedSignInDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'error'>;
}

/** Enough to notice an attack; strangers must not be able to fill the log. */
const MAX_ENTRIES_PER_HOUR = 10;

export class FailedSignIns {
  readonly #deps: FailedSignInDeps;
  readonly #recorded: Throttle;

  constructor(deps: FailedSignInDeps) {
    this.#deps = deps;
    this.#recorded = new Throttle(deps.clock, MAX_ENTRIES_PER_HOUR, HOUR_MS);
  }

  /** Written after the response, which must not take longer for addresses that have an account. */
  record(user: User, address: string): void {
    if (this.#recorded.secondsUntilAllowed(user.uuid) > 0) return;
    this.#recorded.record(user.uuid);
    const write = (): Promise<void> =>
      this.#deps.metadata.transaction((store) =>
        recordAccountActivity(this.#deps, store, user, {
          userId: null,
          activity: 'login_failed',
          changes: null,
          trigger: fromAddress(address),
        }),
      );
    setImmediate(() => {
      write().catch((err: unknown) => this.#deps.log.error({ err }, 'could not record a failed sign-in'));
    });
  }
}
