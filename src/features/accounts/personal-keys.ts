/** Personal API keys of a user. */

import { type Caller, hasProject, levelIn } from '../../access/callers.ts';
import { changesBetween } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest } from '../../lib/secrets.ts';
import type { PersonalKey, User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { recordAccountActivity } from './account-activity.ts';
import { checkedLimits, type KeyLimits, NO_LIMITS } from './rules/key-limits.ts';

interface PersonalKeyDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

const MAX_KEYS_PER_USER = 50;
const PREFIX = 'phx_';

/** A key without its value. */
export const newPersonalKey = (
  { clock, ids }: Pick<PersonalKeyDeps, 'clock' | 'ids'>,
  user: Pick<User, 'id'>,
  { label, ...limits }: Partial<KeyLimits> & Pick<PersonalKey, 'label'>,
): Omit<PersonalKey, 'hash' | 'mask'> => ({
  id: ids.uuid(),
  userId: user.id,
  label,
  ...NO_LIMITS,
  ...limits,
  createdAt: clock.now(),
  rolledAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
});

/** What is stored of the value: enough to find the key, and for people to tell it from others. */
export const storedValue = (value: string): Pick<PersonalKey, 'hash' | 'mask'> => ({
  hash: digest(value),
  mask: `${PREFIX}...${value.slice(-4)}`,
});

/** The value is only returned here. Without a caller, such as for an operator, `places` are not checked. */
export async function createPersonalKey(
  deps: PersonalKeyDeps,
  { user }: Pick<Caller, 'user'>,
  label: string,
  limits: KeyLimits = NO_LIMITS,
): Promise<{ key: PersonalKey; value: string }> {
  const value = deps.ids.token(PREFIX);
  const checked = checkedLimits(limits, deps.clock.now());
  const key = { ...newPersonalKey(deps, user, { label, ...checked }), ...storedValue(value) };
  await deps.metadata.transaction(async (store) => {
    if ((await store.personalKeys.listByUser(user.id)).length >= MAX_KEYS_PER_USER)
      throw invalid('label', `You have ${MAX_KEYS_PER_USER} keys already. Delete one that you no longer use.`);
    await store.personalKeys.create(key);
    await recordAccountActivity(deps, store, user, { ...keyActivity(key), activity: 'created' });
  });
  return { key, value };
}

/** Throws unless the caller has access to all of them. Others look as if they did not exist. */
export async function requirePlaces(
  metadata: MetadataStore,
  caller: Caller,
  { projectIds, organizationIds }: Partial<KeyLimits>,
): Promise<void> {
  for (const id of projectIds ?? []) {
    const project = await metadata.projects.get(id);
    if (!project || !hasProject(caller, project)) throw invalid('scoped_teams', `There is no project ${id}.`);
  }
  for (const id of organizationIds ?? []) {
    if (levelIn(caller, id) === null) throw invalid('scoped_organizations', 'There is no such organization.');
  }
}

export async function updatePersonalKey(
  deps: PersonalKeyDeps,
  caller: Caller,
  id: string,
  changes: Partial<KeyLimits> & { label?: string },
): Promise<PersonalKey> {
  await requirePlaces(deps.metadata, caller, changes);
  return deps.metadata.transaction(async (store) => {
    const before = await getPersonalKey(store, caller, id);
    const { label = before.label, ...limits } = changes;
    const { expiresAt = before.expiresAt } = limits;
    // The end is only checked where it is given: a key that has ended can be changed all the same.
    const given = { ...limitsOf(before), expiresAt: null, ...limits };
    const changed = { ...checkedLimits(given, deps.clock.now()), expiresAt, label };
    const after = { ...before, ...changed };
    await store.personalKeys.update(before.id, changed);
    const differences = changesBetween(KEY_SCOPE, activityFields(before), activityFields(after));
    await recordAccountActivity(deps, store, caller.user, {
      ...keyActivity(after),
      activity: 'updated',
      changes: differences,
    });
    return after;
  });
}

/** A new value; the old one stops working immediately. */
export async function rollPersonalKey(
  deps: PersonalKeyDeps,
  caller: Caller,
  id: string,
): Promise<{ key: PersonalKey; value: string }> {
  const value = deps.ids.token(PREFIX);
  return deps.metadata.transaction(async (store) => {
    const before = await getPersonalKey(store, caller, id);
    const changes = { ...storedValue(value), rolledAt: deps.clock.now() };
    await store.personalKeys.update(before.id, changes);
    const key = { ...before, ...changes };
    await recordAccountActivity(deps, store, caller.user, { ...keyActivity(key), activity: 'rolled' });
    return { key, value };
  });
}

export async function getPersonalKey(metadata: MetadataStore, caller: Caller, id: string): Promise<PersonalKey> {
  const key = await metadata.personalKeys.get(caller.user.id, id === '@current' ? (caller.key?.id ?? '') : id);
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

const limitsOf = ({ scopes, projectIds, organizationIds, expiresAt }: PersonalKey): KeyLimits => ({
  scopes,
  projectIds,
  organizationIds,
  expiresAt,
});

const activityFields = ({ label, scopes, projectIds, organizationIds, expiresAt }: PersonalKey) => ({
  label,
  scopes: [...scopes],
  scoped_teams: [...projectIds],
  scoped_organizations: [...organizationIds],
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
});

const KEY_SCOPE = 'PersonalAPIKey';

export const keyActivity = ({ id, label }: PersonalKey) => ({
  scope: KEY_SCOPE,
  itemId: id,
  name: label,
  changes: null,
});
