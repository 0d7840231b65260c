/**
 * Who may change a flag: its creator and admins always; others if the organization's default allows it, if one of their
 * roles has the level, or if one of their roles was granted access to the flag.
 */

import type { FeatureFlag } from '../stores/metadata/flags.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { type Caller, isAdmin } from './callers.ts';
import { FEATURE_FLAGS_RESOURCE, isEditor } from './resources.ts';

type Owned = Pick<FeatureFlag, 'id' | 'createdBy'>;

interface FlagPermissions {
  canEdit(flag: Owned): boolean;
  /** Whether the caller may grant roles access to it. */
  canGrant(flag: Owned): boolean;
}

const ALL_PERMISSIONS: FlagPermissions = { canEdit: () => true, canGrant: () => true };

/** Looked up once for any number of flags. */
export async function getFlagPermissions(
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
): Promise<FlagPermissions> {
  if (isAdmin(caller, organizationId)) return ALL_PERMISSIONS;
  if (await isEditor(store, caller, organizationId, FEATURE_FLAGS_RESOURCE)) return ALL_PERMISSIONS;
  const roles = await store.roles.listByUser(organizationId, caller.user.id);
  const accesses = await store.flagRoleAccess.listByRoles(roles.map((role) => role.id));
  const granted = new Set(accesses.map(({ flagId }) => flagId));
  const isCreator = (flag: Owned): boolean => flag.createdBy === caller.user.id;
  return { canEdit: (flag) => isCreator(flag) || granted.has(flag.id), canGrant: isCreator };
}
