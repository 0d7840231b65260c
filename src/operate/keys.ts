/** Personal keys, seen from the outside: an operator makes them for others and takes them away. */
import { Failure } from '../core/errors.ts';
import { createPersonalKey } from '../features/accounts/personal-keys.ts';
import { userByEmail } from './lookups.ts';
import type { Operation } from './operation.ts';

export interface ShownKey {
  id: string;
  user: string;
  label: string;
  created_at: number;
  last_used_at: number | null;
}

export const listKeys: Operation<{ user: string | null }, ShownKey[]> = async ({ metadata }, { user }) => {
  const users = user === null ? await metadata.users.list() : [await userByEmail(metadata, user)];
  const keys = await Promise.all(
    users.map(async ({ id, email }) => ({ email, own: await metadata.personalKeys.ofUser(id) })),
  );
  return keys.flatMap(({ email, own }) =>
    own.map(({ id, label, createdAt, lastUsedAt }) => ({
      id,
      user: email,
      label,
      created_at: createdAt,
      last_used_at: lastUsedAt,
    })),
  );
};

/** The key itself is in this answer, and nowhere else. */
export const createKey: Operation<{ user: string; label: string }, { id: string; key: string }> = async (
  deps,
  { user: email, label },
) => {
  const user = await userByEmail(deps.metadata, email);
  const memberships = await deps.metadata.memberships.ofUser(user.id);
  const { key, value } = await createPersonalKey(deps, { user, memberships, via: 'personal_key' }, label);
  return { id: key.id, key: value };
};

export const revokeKey: Operation<{ id: string }, { user: string; label: string }> = async ({ metadata }, { id }) => {
  for (const user of await metadata.users.list()) {
    const key = await metadata.personalKeys.find(user.id, id);
    if (!key) continue;
    await metadata.personalKeys.remove(key.id);
    return { user: user.email, label: key.label };
  }
  throw new Failure('not_found', `There is no key ${id}. See: cairn keys list`);
};
