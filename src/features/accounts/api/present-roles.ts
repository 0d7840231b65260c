import { usersById } from '../../../http/api/activity-list.ts';
import type { Role } from '../../../stores/metadata/accounts.ts';
import type { AccountRouteDeps } from './deps.ts';
import { presentRole } from './role-schemas.ts';

/** Roles with their members and the flags that they can edit. */
export async function presentRoles(deps: Pick<AccountRouteDeps, 'metadata'>, roles: readonly Role[]) {
  const ids = roles.map((role) => role.id);
  const memberships = await deps.metadata.roleMemberships.listByRoles(ids);
  const flags = (await deps.metadata.flagRoleAccess.listByRoles(ids)).filter((access) => !access.isDeleted);
  const users = await usersById(deps.metadata, [
    ...memberships.map((membership) => membership.userId),
    ...roles.map((role) => role.createdBy),
  ]);
  return roles.map((role) => {
    const memberIds = memberships.filter((one) => one.roleId === role.id).map((one) => one.userId);
    const flagKeys = flags.filter((one) => one.roleId === role.id).map((one) => one.flagKey);
    return presentRole(role, users, memberIds, flagKeys);
  });
}
