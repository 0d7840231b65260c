/** Roles whose members may edit one flag although their level alone would not let them. */

import type { Caller } from '../../../access/callers.ts';
import { changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../../core/errors.ts';
import type { Project, Role } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag, FlagRoleAccess } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { rightsOf } from './flag-permissions.ts';
import { FEATURE_FLAG, type FlagDeps, flagEntry } from './flags.ts';

export interface GivenAccess {
  access: FlagRoleAccess;
  flag: FeatureFlag;
  role: Role;
}

type Deps = Omit<FlagDeps, 'definitions'>;

export async function giveFlagAccess(
  deps: Deps,
  caller: Caller,
  project: Project,
  flagId: number,
  roleId: string,
): Promise<GivenAccess> {
  return deps.metadata.transaction(async (store) => {
    const flag = await flagToGrant(store, caller, project, flagId);
    const role = await store.roles.find(project.organizationId, roleId);
    if (!role) throw invalid('role_id', `Invalid pk "${roleId}" - object does not exist.`, 'does_not_exist');
    const given = await store.flagRoleAccess.ofFlag(flag.id);
    if (given.some((one) => one.roleId === roleId)) {
      throw invalid('role_id', 'This role has access to the feature flag already.', 'unique');
    }
    const now = deps.clock.now();
    const fresh = { projectId: project.id, flagId: flag.id, roleId, addedAt: now, updatedAt: now };
    const access = await store.flagRoleAccess.add(fresh);
    await recordAccess(deps, store, caller, project, flag, null, role.name);
    return { access, flag, role };
  });
}

export async function takeFlagAccess(
  deps: Deps,
  caller: Caller,
  project: Project,
  flagId: number,
  id: number,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const flag = await flagToGrant(store, caller, project, flagId);
    const access = await store.flagRoleAccess.find(flag.id, id);
    if (!access) throw notFound();
    const role = await store.roles.find(project.organizationId, access.roleId);
    await store.flagRoleAccess.remove(id);
    await recordAccess(deps, store, caller, project, flag, role?.name ?? null, null);
  });
}

export async function flagWithAccess(store: MetadataStore, project: Project, flagId: number): Promise<FeatureFlag> {
  const flag = await store.flags.find(project.id, flagId);
  if (!flag) throw notFound('Feature flag not found.');
  return flag;
}

async function flagToGrant(
  store: MetadataStore,
  caller: Caller,
  project: Project,
  flagId: number,
): Promise<FeatureFlag> {
  const flag = await flagWithAccess(store, project, flagId);
  const rights = await rightsOf(store, caller, project.organizationId);
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
  const changes = changesBetween(FEATURE_FLAG, { role_access: before }, { role_access: after });
  return recordActivity(deps, store, flagEntry(project, caller.user.id, flag, 'updated', changes));
}
