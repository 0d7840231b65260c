/** Personal API keys of a user. */

import type { Caller } from '../../access/callers.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest } from '../../lib/secrets.ts';
import type { PersonalKey } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface PersonalKeyDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export async function createPersonalKey(
  { metadata, clock, ids }: PersonalKeyDeps,
  caller: Caller,
  label: string,
): Promise<{ key: PersonalKey; value: string }> {
  const value = ids.token('phx_');
  const key: PersonalKey = {
    id: ids.uuid(),
    userId: caller.user.id,
    label,
    hash: digest(value),
    createdAt: clock.now(),
    lastUsedAt: null,
  };
  await metadata.personalKeys.create(key);
  return { key, value };
}

export async function getPersonalKey(metadata: MetadataStore, caller: Caller, id: string): Promise<PersonalKey> {
  const key = await metadata.personalKeys.get(caller.user.id, id);
  if (!key) throw notFound();
  return key;
}
