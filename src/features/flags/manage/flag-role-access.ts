/** Roles whose members may edit one flag, although their level alone would not allow it. */

import type { Caller } from '../../../access/callers.ts';
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../../core/errors.ts';
import type { Project, Role } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag, FlagRoleAccess } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { FLAG_SCOPE, type FlagDeps, flagActivity } from './flags.ts';

interface GrantedAccess {
  access: FlagRoleAccess;
  flag: FeatureFlag;
  role: Role;
}

type Deps = Omit<FlagDeps, 'flagSnapshots'>;

export async function grantFlagAccess(
  deps: Deps,
  caller: Caller,
  project: Project,
  flagId: number,
  roleId: string,
): Promise<GrantedAccess> {
  return deps.metadata.transaction(async (store) => {
    const flag = await getFlagToGrant(store, caller, project, flagId);
    const role = await store.roles.get(project.organizationId, roleId);
    if (!role) throw invalid('role_id', `Invalid pk "${roleId}" - object does not exist.`, 'does_not_exist');
    const given = await store.flagRoleAccess.listByFlag(flag.id);
    if (given.some((one) => one.roleId === roleId)) {
      throw invalid('role_id', 'This role has access to the feature flag already.', 'unique');
    }
    const now = deps.clock.now();
    const fresh = { projectId: project.id, flagId: flag.id, roleId, addedAt: now, updatedAt: now };
    const access = await store.flagRoleAccess.create(fresh);
    await recordAccess(deps, store, caller, project, flag, null, role.name);
    return { access, flag, role };
  });
}

export async function revokeFlagAccess(
  deps: Deps,
  caller: Caller,
  project: Project,
  flagId: number,
  id: number,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const flag = await getFlagToGrant(store, caller, project, flagId);
    const access = await store.flagRoleAccess.get(flag.id, id);
    if (!access) throw notFound();
    const role = await store.roles.get(project.organizationId, access.roleId);
    await store.flagRoleAccess.delete(id);
    await recordAccess(deps, store, caller, project, flag, role?.name ?? null, null);
  });
}

export async function getFlagForAccess(store: MetadataStore, project: Project, flagId: number): Promise<FeatureFlag> {
  const flag = await store.flags.get(project.id, flagId);
  if (!flag) throw notFound('Feature flag not found.');
  return flag;
}

async function getFlagToGrant(
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flagId: number,
): Promise<FeatureFlag> {
  const flag = await getFlagForAccess(store, project, flagId);
  const rights = await getFlagPermissions(store, caller, project.organizationId);
  if (!rights.canGrant(flag)) throw forbidden("You can't edit roles for this feature flag.");
  return flag;
}

function recordAccess(
  deps: Deps,
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flag: FeatureFlag,
  before: string | null,
  after: string | null,
): Promise<void> {
  const changes = changesBetween(FLAG_SCOPE, { role_access: before }, { role_access: after });
  return recordActivity(deps, store, flagActivity(project, caller.user.id, flag, 'updated', changes));
}
