/** Personal keys of all users. */
import { Failure } from '../core/errors.ts';
import { createPersonalKey, deletePersonalKey } from '../features/accounts/personal-keys.ts';
import { userByEmail } from './lookups.ts';
import type { Operation } from './operation.ts';

interface KeyRow {
  id: string;
  user: string;
  label: string;
  created_at: number;
  last_used_at: number | null;
}

export const listKeys: Operation<{ user: string | null }, KeyRow[]> = async ({ metadata }, { user }) => {
  const users = user === null ? await metadata.users.listAll() : [await userByEmail(metadata, user)];
  const keys = await Promise.all(
    users.map(async ({ id, email }) => ({ email, own: await metadata.personalKeys.listByUser(id) })),
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

/** The only time that the key itself is returned. */
export const createKey: Operation<{ user: string; label: string }, { id: string; key: string }> = async (
  deps,
  { user: email, label },
) => {
  const user = await userByEmail(deps.metadata, email);
  const { key, value } = await createPersonalKey(deps, { user }, label);
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
