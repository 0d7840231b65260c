/** Members of an organization. How they join: `invites.ts`. */

import { type Caller, levelIn, requireLevel } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { Failure, forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { hashPassword } from '../../lib/secrets.ts';
import {
  ADMIN,
  type Membership,
  type MembershipLevel,
  type Organization,
  OWNER,
  type User,
} from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkedPassword } from './passwords.ts';

interface MemberDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

interface NewMember {
  email: string;
  firstName: string;
  password: string;
  level: MembershipLevel;
}

export interface OrganizationMember {
  membership: Membership;
  user: User;
}

/** For the operator of the server only: everybody else invites. An account that exists is never added by its address. */
export async function createMember(
  deps: MemberDeps,
  caller: Caller,
  organization: Organization,
  member: NewMember,
): Promise<OrganizationMember> {
  const passwordHash = await hashPassword(checkedPassword(member.password, member.email));
  return deps.metadata.transaction(async (store) => {
    if (await store.users.getByEmail(member.email)) {
      throw invalid(
        'email',
        `${member.email} has an account already. Invite them, so that they can join with it: cairn users invite ${member.email}`,
        'unique',
      );
    }
    const user = await store.users.create(newUser(deps, { ...member, passwordHash }, organization.id));
    const membership = newMembership(deps, organization.id, user.id, member.level);
    await store.memberships.create(membership);
    await recordActivity(deps, store, {
      ...memberActivity(organization, caller, user),
      activity: 'created',
      changes: null,
    });
    return { membership, user };
  });
}

export async function changeMemberLevel(
  deps: MemberDeps,
  caller: Caller,
  organization: Organization,
  userUuid: string,
  level: MembershipLevel,
): Promise<OrganizationMember> {
  return deps.metadata.transaction(async (store) => {
    const { membership, user } = await getMember(store, organization.id, userUuid);
    refuseLevelAboveOwn(caller, organization.id, Math.max(level, membership.level) as MembershipLevel);
    if (membership.level === OWNER && level !== OWNER) await requireAnotherOwner(store, organization.id);
    const updatedAt = deps.clock.now();
    await store.memberships.update(membership.id, { level, ownLevel: level, updatedAt });
    const changes = changesBetween('OrganizationMembership', { level: membership.level }, { level });
    await recordActivity(deps, store, { ...memberActivity(organization, caller, user), activity: 'updated', changes });
    return { membership: { ...membership, level, ownLevel: level, updatedAt }, user };
  });
}

/** Admins can remove members; everybody can leave. */
export async function removeMember(
  deps: MemberDeps,
  caller: Caller,
  organization: Organization,
  userUuid: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const { membership, user } = await getMember(store, organization.id, userUuid);
    if (user.id !== caller.user.id) {
      requireLevel(caller, organization.id, ADMIN);
      refuseLevelAboveOwn(caller, organization.id, membership.level);
    }
    if (membership.level === OWNER) await requireAnotherOwner(store, organization.id);
    await store.memberships.delete(membership.id);
    await recordActivity(deps, store, {
      ...memberActivity(organization, caller, user),
      activity: 'deleted',
      changes: null,
    });
  });
}

export async function getMember(
  store: MetadataStore,
  organizationId: string,
  userUuid: string,
): Promise<OrganizationMember> {
  const user = await store.users.getByUuid(userUuid);
  const membership = user && (await store.memberships.get(organizationId, user.id));
  if (!membership) throw notFound();
  return { membership, user };
}

/** Nobody can grant or revoke a level above their own. */
export function refuseLevelAboveOwn(caller: Caller, organizationId: string, level: MembershipLevel): void {
  if (level > (levelIn(caller, organizationId) ?? 0)) {
    throw forbidden('You can only grant, change or remove levels up to your own.');
  }
}

async function requireAnotherOwner(store: MetadataStore, organizationId: string): Promise<void> {
  if ((await store.memberships.countOwners(organizationId)) > 1) return;
  throw new Failure('forbidden', 'An organization needs an owner: make somebody else an owner first.');
}

export const newMembership = (
  { clock, ids }: MemberDeps,
  organizationId: string,
  userId: number,
  level: MembershipLevel,
): Membership => ({
  id: ids.uuid(),
  organizationId,
  userId,
  level,
  ownLevel: level,
  joinedAt: clock.now(),
  updatedAt: clock.now(),
});

/** A user with this address, in this organization. */
export const newUser = (
  { clock, ids }: MemberDeps,
  { email, firstName, passwordHash }: Pick<User, 'email' | 'firstName' | 'passwordHash'>,
  organizationId: string,
): Omit<User, 'id'> => ({
  uuid: ids.uuid(),
  distinctId: ids.token(''),
  email: email.toLowerCase(),
  firstName,
  passwordHash,
  isActive: true,
  currentOrganizationId: organizationId,
  currentProjectId: null,
  joinedAt: clock.now(),
  lastSignedInAt: null,
  isBreakGlass: false,
});

export const memberActivity = (organization: Pick<Organization, 'id'>, caller: Pick<Caller, 'user'>, user: User) => ({
  organizationId: organization.id,
  projectId: null,
  userId: caller.user.id,
  scope: 'OrganizationMembership',
  itemId: user.uuid,
  name: user.email,
});
