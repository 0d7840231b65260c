/** Users. A password that is not given is generated and returned once. */

import { changesBetween } from '../access/record-activity.ts';
import { invalid } from '../core/errors.ts';
import { recordAccountActivity, secretChange } from '../features/accounts/account-activity.ts';
import { SETUP_TOKEN } from '../features/accounts/bootstrap.ts';
import { createInvite } from '../features/accounts/invites.ts';
import { inviteLink, resetLink } from '../features/accounts/links.ts';
import { createMember } from '../features/accounts/members.ts';
import { createReset } from '../features/accounts/password-resets.ts';
import { checkedPassword } from '../features/accounts/passwords.ts';
import { availableEmail } from '../features/accounts/users.ts';
import { hashPassword } from '../lib/secrets.ts';
import { ADMIN, MEMBER, type MembershipLevel, OWNER, type User } from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { chosenOrganization, ownerOf, userByEmail } from './lookups.ts';
import type { Operation } from './operation.ts';

export const LEVELS = { member: MEMBER, admin: ADMIN, owner: OWNER } as const;
export type LevelName = keyof typeof LEVELS;

const levelName = (level: MembershipLevel): LevelName =>
  level === OWNER ? 'owner' : level === ADMIN ? 'admin' : 'member';

interface UserRow {
  email: string;
  name: string;
  is_active: boolean;
  has_password: boolean;
  memberships: { organization: string; level: LevelName }[];
  keys: number;
  joined_at: number;
}

export const listUsers: Operation<object, UserRow[]> = async ({ metadata }) => {
  const users = await metadata.users.listAll();
  return Promise.all(
    users.map(async (user) => ({
      email: user.email,
      name: user.firstName,
      is_active: user.isActive,
      has_password: user.passwordHash !== null,
      memberships: (await metadata.memberships.listByUser(user.id)).map(({ organizationId, level }) => ({
        organization: organizationId,
        level: levelName(level),
      })),
      keys: (await metadata.personalKeys.listByUser(user.id)).length,
      joined_at: user.joinedAt,
    })),
  );
};

interface NewUser {
  email: string;
  name: string;
  level: LevelName;
  organization: string | null;
  password: string | null;
}

/** For an address without an account. The returned password is null if one was given. */
export const createUser: Operation<NewUser, { email: string; password: string | null }> = async (deps, wanted) => {
  const { metadata, ids } = deps;
  const organization = await chosenOrganization(metadata, wanted.organization);
  const made = wanted.password === null ? ids.token('') : null;
  const { user } = await createMember(deps, await ownerOf(metadata, organization.id), organization, {
    email: wanted.email,
    firstName: wanted.name,
    password: wanted.password ?? made ?? '',
    level: LEVELS[wanted.level],
  });
  return { email: user.email, password: made };
};

/** A link for the person: they choose their password, or join with the account that they have. */
export const inviteUser: Operation<Omit<NewUser, 'password'>, { email: string; link: string }> = async (
  deps,
  { email, name, level, organization: id },
) => {
  const organization = await chosenOrganization(deps.metadata, id);
  const owner = await ownerOf(deps.metadata, organization.id);
  const given = { email, firstName: name, level: LEVELS[level] };
  const { invite, token } = await createInvite(deps, owner, organization, given);
  return { email: invite.email, link: inviteLink(deps.publicAddress, invite.id, token) };
};

/** Ends their sessions; keys stay valid. */
export const setEmail: Operation<{ email: string; to: string }, { email: string }> = (deps, { email, to }) =>
  deps.metadata.transaction(async (store) => {
    const user = await userByEmail(store, email);
    const changed = await availableEmail(store, user, to);
    await store.users.update(user.id, { email: changed });
    await store.sessions.deleteByUser(user.id);
    const changes = changesBetween('User', { email: user.email }, { email: changed });
    await recordAccountActivity(deps, store, user, { userId: null, activity: 'updated', changes });
    return { email: changed };
  });

/** A user who is not active cannot sign in: sessions end, and keys are deleted for good. */
export const setUserActive: Operation<{ email: string; active: boolean }, { keys: number }> = (
  deps,
  { email, active },
) =>
  deps.metadata.transaction(async (store) => {
    const user = await userByEmail(store, email);
    await store.users.update(user.id, { isActive: active });
    if (active) return { keys: 0 };
    await store.sessions.deleteByUser(user.id);
    const keys = await store.personalKeys.listByUser(user.id);
    await recordAccountActivity(deps, store, user, { userId: null, activity: 'deactivated', changes: null });
    for (const { id } of keys) await store.personalKeys.delete(id);
    return { keys: keys.length };
  });

/** A link with which they choose a new password; their sessions end then. */
export const createResetLink: Operation<{ email: string }, { email: string; link: string }> = async (
  deps,
  { email },
) => {
  const user = await userByEmail(deps.metadata, email);
  const token = await createReset(deps, user, null);
  return { email: user.email, link: resetLink(deps.publicAddress, user.uuid, token) };
};

/** For somebody who has lost phone and recovery codes. Ends their sessions. */
export const turnOffFactors: Operation<{ email: string }, { email: string }> = (deps, { email }) =>
  deps.metadata.transaction(async (store) => {
    const user = await userByEmail(store, email);
    await store.factors.deleteAll(user.id);
    await store.sessions.deleteByUser(user.id);
    const changes = [secretChange('second_factor')];
    await recordAccountActivity(deps, store, user, { userId: null, activity: 'updated', changes });
    return { email: user.email };
  });

/** An owner with password and second factor, who gets in while the provider of single sign-on is away. */
export const setBreakGlass: Operation<{ email: string; on: boolean }, { email: string; link: string }> = (
  deps,
  { email, on },
) =>
  deps.metadata.transaction(async (store) => {
    const user = await userByEmail(store, email);
    if (on) await requireBreakGlassOwner(store, user);
    await store.users.update(user.id, { isBreakGlass: on });
    const changes = changesBetween('User', { break_glass: user.isBreakGlass }, { break_glass: on });
    await recordAccountActivity(deps, store, user, { userId: null, activity: 'updated', changes });
    return { email: user.email, link: `${deps.publicAddress}/login?local=1` };
  });

async function requireBreakGlassOwner(store: MetadataStore, user: User): Promise<void> {
  const isOwner = (await store.memberships.listByUser(user.id)).some(({ level }) => level === OWNER);
  const hasTotp = ((await store.factors.getTotp(user.id))?.confirmedAt ?? null) !== null;
  const hasFactor = hasTotp || (await store.factors.listPasskeys(user.id)).length > 0;
  const missing = [
    ...(user.isActive ? [] : [`to be active (cairn users activate ${user.email})`]),
    ...(isOwner ? [] : ['to be an owner']),
    ...(user.passwordHash === null ? [`a password (cairn users reset-password ${user.email})`] : []),
    ...(hasFactor ? [] : ['a second factor (in the console, under Account)']),
  ];
  if (missing.length > 0) throw invalid('email', `${user.email} needs ${missing.join(', and ')} first.`, 'not_ready');
}

interface NewPassword {
  email: string;
  password: string | null;
}

/** Ends all sessions; keys stay valid. */
export const resetPassword: Operation<NewPassword, { password: string | null }> = async (deps, { email, password }) => {
  const { metadata, ids } = deps;
  const made = password === null ? ids.token('') : null;
  const passwordHash = await hashPassword(checkedPassword(password ?? made ?? '', email));
  await metadata.transaction(async (store) => {
    const user = await userByEmail(store, email);
    await store.users.update(user.id, { passwordHash });
    // The setup link is for the one user without a password.
    if (user.passwordHash === null) await store.installation.delete(SETUP_TOKEN);
    await store.sessions.deleteByUser(user.id);
    const changes = [secretChange('password')];
    await recordAccountActivity(deps, store, user, { userId: null, activity: 'updated', changes });
  });
  return { password: made };
};
