/**
 * Who may change a flag. Whoever made it and admins always may; others as the organization's default for flags says,
 * or else their roles: by the level of a role, or because a role was given access to that one flag.
 */

import { type Caller, isAdmin } from '../../../access/callers.ts';
import { CAN_EDIT } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { FEATURE_FLAGS } from '../../accounts/roles.ts';

type Owned = Pick<FeatureFlag, 'id' | 'createdBy'>;

export interface FlagRights {
  canEdit(flag: Owned): boolean;
  /** Whether the caller may say which roles can edit it. */
  canGrant(flag: Owned): boolean;
}

const EVERYTHING: FlagRights = { canEdit: () => true, canGrant: () => true };

/** What the caller may do with the flags of an organization, looked up once for any number of them. */
export async function rightsOf(store: MetadataStore, caller: Caller, organizationId: string): Promise<FlagRights> {
  if (isAdmin(caller, organizationId)) return EVERYTHING;
  const access = await store.resourceAccess.byResource(organizationId, FEATURE_FLAGS);
  if (!access || access.accessLevel === CAN_EDIT) return EVERYTHING;
  const roles = await store.roles.ofUser(organizationId, caller.user.id);
  if (roles.some((role) => role.featureFlagsAccessLevel === CAN_EDIT)) return EVERYTHING;
  const given = await store.flagRoleAccess.ofRoles(roles.map((role) => role.id));
  const granted = new Set(given.map(({ flagId }) => flagId));
  const isMaker = (flag: Owned): boolean => flag.createdBy === caller.user.id;
  return { canEdit: (flag) => isMaker(flag) || granted.has(flag.id), canGrant: isMaker };
}
