/**
 * Who may change a flag. Whoever made it and admins always may; others as the organization's default for flags says,
 * or else their roles: by the level of a role, or because a role was given access to that one flag.
 */

import { type Caller, isAdmin } from '../../../access/callers.ts';
import { CAN_EDIT } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { FEATURE_FLAGS_RESOURCE } from '../../accounts/roles.ts';

type Owned = Pick<FeatureFlag, 'id' | 'createdBy'>;

interface FlagPermissions {
  canEdit(flag: Owned): boolean;
  /** Whether the caller may say which roles can edit it. */
  canGrant(flag: Owned): boolean;
}

const ALL_PERMISSIONS: FlagPermissions = { canEdit: () => true, canGrant: () => true };

/** What the caller may do with the flags of an organization, looked up once for any number of them. */
export async function getFlagPermissions(
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
): Promise<FlagPermissions> {
  if (isAdmin(caller, organizationId)) return ALL_PERMISSIONS;
  const access = await store.resourceAccess.getByResource(organizationId, FEATURE_FLAGS_RESOURCE);
  if (!access || access.accessLevel === CAN_EDIT) return ALL_PERMISSIONS;
  const roles = await store.roles.listByUser(organizationId, caller.user.id);
  if (roles.some((role) => role.featureFlagsAccessLevel === CAN_EDIT)) return ALL_PERMISSIONS;
  const given = await store.flagRoleAccess.listByRoles(roles.map((role) => role.id));
  const granted = new Set(given.map(({ flagId }) => flagId));
  const isMaker = (flag: Owned): boolean => flag.createdBy === caller.user.id;
  return { canEdit: (flag) => isMaker(flag) || granted.has(flag.id), canGrant: isMaker };
}
