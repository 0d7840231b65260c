/** Roles of an organization and their members. */

import type { Caller } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { FEATURE_FLAGS_RESOURCE } from '../../access/resources.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import {
  CAN_EDIT,
  type Organization,
  type Role,
  type RoleMembership,
  type User,
} from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface RoleDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

/** A new role has the organization's default level. */
export async function createRole(
  deps: RoleDeps,
  caller: Caller,
  organization: Organization,
  name: string,
): Promise<Role> {
  return deps.metadata.transaction(async (store) => {
    await refuseTakenName(store, organization.id, name, null);
    const access = await store.resourceAccess.getByResource(organization.id, FEATURE_FLAGS_RESOURCE);
    const role: Role = {
      id: deps.ids.uuid(),
      organizationId: organization.id,
      name,
      featureFlagsAccessLevel: access?.accessLevel ?? CAN_EDIT,
      createdAt: deps.clock.now(),
      createdBy: caller.user.id,
    };
    await store.roles.create(role);
    await recordActivity(deps, store, { ...roleActivity(role, caller), activity: 'created', changes: null });
    return role;
  });
}

export type RoleChanges = Partial<Pick<Role, 'name' | 'featureFlagsAccessLevel'>>;

export async function updateRole(
  deps: RoleDeps,
  caller: Caller,
  organization: Organization,
  id: string,
  changes: RoleChanges,
): Promise<Role> {
  return deps.metadata.transaction(async (store) => {
    const before = await getRole(store, organization, id);
    if (changes.name !== undefined) await refuseTakenName(store, organization.id, changes.name, id);
    const after = { ...before, ...changes };
    await store.roles.update(id, { name: after.name, featureFlagsAccessLevel: after.featureFlagsAccessLevel });
    const differences = changesBetween('Role', activityFields(before), activityFields(after));
    await recordActivity(deps, store, { ...roleActivity(after, caller), activity: 'updated', changes: differences });
    return after;
  });
}

export async function deleteRole(
  deps: RoleDeps,
  caller: Caller,
  organization: Organization,
  id: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const role = await getRole(store, organization, id);
    await store.roles.delete(id);
    await recordActivity(deps, store, { ...roleActivity(role, caller), activity: 'deleted', changes: null });
  });
}

export async function getRole(store: MetadataStore, organization: Organization, id: string): Promise<Role> {
  const role = await store.roles.get(organization.id, id);
  if (!role) throw notFound();
  return role;
}

export async function addRoleMember(
  deps: RoleDeps,
  caller: Caller,
  organization: Organization,
  roleId: string,
  userUuid: string,
): Promise<{ membership: RoleMembership; user: User }> {
  return deps.metadata.transaction(async (store) => {
    const role = await getRole(store, organization, roleId);
    const user = await store.users.getByUuid(userUuid);
    const member = user && (await store.memberships.get(organization.id, user.id));
    if (!member) throw invalid(undefined, 'User does not exist.');
    if (await store.roleMemberships.getByUser(roleId, user.id))
      throw invalid(undefined, 'User is already part of the role.');
    const now = deps.clock.now();
    const membership: RoleMembership = {
      id: deps.ids.uuid(),
      roleId,
      userId: user.id,
      joinedAt: now,
      updatedAt: now,
      source: 'manual',
    };
    await store.roleMemberships.create(membership);
    await recordMemberChange(deps, store, caller, role, null, user.email);
    return { membership, user };
  });
}

export async function removeRoleMember(
  deps: RoleDeps,
  caller: Caller,
  organization: Organization,
  roleId: string,
  id: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const role = await getRole(store, organization, roleId);
    const membership = await store.roleMemberships.get(roleId, id);
    if (!membership) throw notFound();
    const user = await store.users.get(membership.userId);
    await store.roleMemberships.delete(id);
    await recordMemberChange(deps, store, caller, role, user?.email ?? null, null);
  });
}

async function refuseTakenName(
  store: MetadataStore,
  organizationId: string,
  name: string,
  ownId: string | null,
): Promise<void> {
  const other = await store.roles.getByName(organizationId, name);
  if (other && other.id !== ownId) throw invalid('name', 'There is already a role with this name.', 'unique');
}

const activityFields = (role: Role) => ({ name: role.name, feature_flags_access_level: role.featureFlagsAccessLevel });

const roleActivity = (role: Role, caller: Caller) => ({
  organizationId: role.organizationId,
  projectId: null,
  userId: caller.user.id,
  scope: 'Role',
  itemId: role.id,
  name: role.name,
});

function recordMemberChange(
  deps: RoleDeps,
  store: MetadataStore,
  caller: Caller,
  role: Role,
  before: string | null,
  after: string | null,
): Promise<void> {
  const changes = changesBetween('Role', { members: before }, { members: after });
  return recordActivity(deps, store, { ...roleActivity(role, caller), activity: 'updated', changes });
}
