/** Personal keys of all users. */
import { Failure } from '../core/errors.ts';
import { DAY_MS } from '../core/time/units.ts';
import { createPersonalKey, deletePersonalKey } from '../features/accounts/personal-keys.ts';
import { NO_LIMITS } from '../features/accounts/rules/key-limits.ts';
import { chosenProject, userByEmail } from './lookups.ts';
import type { Operation } from './operation.ts';

interface KeyRow {
  id: string;
  user: string;
  label: string;
  scopes: readonly string[];
  created_at: number;
  last_used_at: number | null;
}

export const listKeys: Operation<{ user: string | null }, KeyRow[]> = async ({ metadata }, { user }) => {
  const users = user === null ? await metadata.users.listAll() : [await userByEmail(metadata, user)];
  const keys = await Promise.all(
    users.map(async ({ id, email }) => ({ email, own: await metadata.personalKeys.listByUser(id) })),
  );
  return keys.flatMap(({ email, own }) =>
    own.map(({ id, label, scopes, createdAt, lastUsedAt }) => ({
      id,
      user: email,
      label,
      scopes,
      created_at: createdAt,
      last_used_at: lastUsedAt,
    })),
  );
};

interface NewKey {
  user: string;
  label: string;
  /** None: everything that the user may do. */
  scopes: readonly string[];
  /** None: all. */
  projects: readonly number[];
  /** Null: it does not end. */
  days: number | null;
}

/** The only time that the key itself is returned. */
export const createKey: Operation<NewKey, { id: string; key: string }> = async (
  deps,
  { user: email, label, scopes, projects, days },
) => {
  const user = await userByEmail(deps.metadata, email);
  for (const id of projects) await chosenProject(deps.metadata, id);
  const { key, value } = await createPersonalKey(deps, { user }, label, {
    ...NO_LIMITS,
    ...(scopes.length === 0 ? {} : { scopes }),
    projectIds: projects,
    expiresAt: days === null ? null : deps.clock.now() + days * DAY_MS,
  });
  return { id: key.id, key: value };
};

export const revokeKey: Operation<{ id: string }, { user: string; label: string }> = async (deps, { id }) => {
  const { metadata } = deps;
  for (const user of await metadata.users.listAll()) {
    const key = await metadata.personalKeys.get(user.id, id);
    if (!key) continue;
    await deletePersonalKey(deps, user, key);
    return { user: user.email, label: key.label };
  }
  throw new Failure('not_found', `There is no key ${id}. See: cairn keys list`);
};
