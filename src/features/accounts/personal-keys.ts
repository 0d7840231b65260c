/** Personal API keys of a user. */

import type { Caller } from '../../access/callers.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest } from '../../lib/secrets.ts';
import type { PersonalKey, User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from './account-activity.ts';

interface PersonalKeyDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export async function createPersonalKey(
  deps: PersonalKeyDeps,
  { user }: Pick<Caller, 'user'>,
  label: string,
): Promise<{ key: PersonalKey; value: string }> {
  const { metadata, clock, ids } = deps;
  const value = ids.token('phx_');
  const key: PersonalKey = {
    id: ids.uuid(),
    userId: user.id,
    label,
    hash: digest(value),
    createdAt: clock.now(),
    lastUsedAt: null,
  };
  await metadata.transaction(async (store) => {
    await store.personalKeys.create(key);
    await recordAccountActivity(deps, store, user, { ...keyActivity(key), activity: 'created' });
  });
  return { key, value };
}

export async function getPersonalKey(metadata: MetadataStore, caller: Caller, id: string): Promise<PersonalKey> {
  const key = await metadata.personalKeys.get(caller.user.id, id);
  if (!key) throw notFound();
  return key;
}

/** It stops working immediately. */
export async function deletePersonalKey(deps: PersonalKeyDeps, user: User, key: PersonalKey): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    await store.personalKeys.delete(key.id);
    await recordAccountActivity(deps, store, user, { ...keyActivity(key), activity: 'deleted' });
  });
}

const keyActivity = ({ id, label }: PersonalKey) => ({
  scope: 'PersonalAPIKey',
  itemId: id,
  name: label,
  changes: null,
});
