/**
 * The activity log of accounts: sign-ins, keys, passwords and addresses. An account can belong to several organizations;
 * each of them has the entry in its own log, for its admins.
 */
import { type ActivityEntry, recordActivity } from '../../access/record-activity.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { shortenAddress } from '../../lib/log.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

type AccountEntry = Pick<ActivityEntry, 'activity' | 'changes'> &
  Partial<Pick<ActivityEntry, 'scope' | 'itemId' | 'name' | 'trigger' | 'userId'>>;

/** Scopes of entries about accounts, which only admins see. */
export const ACCOUNT_SCOPES = ['User', 'PersonalAPIKey'];

export async function recordAccountActivity(
  deps: { clock: Clock; ids: Ids },
  store: MetadataStore,
  user: User,
  entry: AccountEntry,
): Promise<void> {
  for (const { organizationId } of await store.memberships.listByUser(user.id)) {
    await recordActivity(deps, store, {
      userId: user.id,
      scope: 'User',
      itemId: user.uuid,
      name: user.email,
      ...entry,
      organizationId,
      projectId: null,
    });
  }
}

/** That a secret changed, without the secret. */
export const secretChange = (field: string) => ({
  type: 'User',
  action: 'changed' as const,
  field,
  before: null,
  after: null,
});

/** From where, shortened as in the log of requests. */
export const fromAddress = (address: string): JsonObject => ({ from: shortenAddress(address) });
