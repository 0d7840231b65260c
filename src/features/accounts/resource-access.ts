/** The organization's default access levels for kinds of resources. `access/resources.ts` says what they mean. */

import type { Caller } from '../../access/callers.ts';
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { FlagAccessLevel, Organization, ResourceAccess } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface ResourceAccessDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export async function createResourceAccess(
  deps: ResourceAccessDeps,
  caller: Caller,
  organization: Organization,
  resource: string,
  accessLevel: FlagAccessLevel,
): Promise<ResourceAccess> {
  return deps.metadata.transaction(async (store) => {
    if (await store.resourceAccess.getByResource(organization.id, resource)) {
      throw invalid('resource', 'There is already a default for this resource. Change that one instead.', 'unique');
    }
    const now = deps.clock.now();
    const access: ResourceAccess = {
      id: deps.ids.uuid(),
      organizationId: organization.id,
      resource,
      accessLevel,
      createdAt: now,
      updatedAt: now,
      createdBy: caller.user.id,
    };
    await store.resourceAccess.create(access);
    await recordActivity(deps, store, { ...accessActivity(access, caller), activity: 'created', changes: null });
    return access;
  });
}

export async function changeResourceAccess(
  deps: ResourceAccessDeps,
  caller: Caller,
  organization: Organization,
  id: string,
  accessLevel: FlagAccessLevel,
): Promise<ResourceAccess> {
  return deps.metadata.transaction(async (store) => {
    const before = await getResourceAccess(store, organization, id);
    const after = { ...before, accessLevel, updatedAt: deps.clock.now() };
    await store.resourceAccess.update(id, { accessLevel, updatedAt: after.updatedAt });
    const levels = [{ access_level: before.accessLevel }, { access_level: accessLevel }] as const;
    const changes = changesBetween(RESOURCE_ACCESS, ...levels);
    await recordActivity(deps, store, { ...accessActivity(after, caller), activity: 'updated', changes });
    return after;
  });
}

export async function deleteResourceAccess(
  deps: ResourceAccessDeps,
  caller: Caller,
  organization: Organization,
  id: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const access = await getResourceAccess(store, organization, id);
    await store.resourceAccess.delete(id);
    await recordActivity(deps, store, { ...accessActivity(access, caller), activity: 'deleted', changes: null });
  });
}

export async function getResourceAccess(
  store: MetadataStore,
  organization: Organization,
  id: string,
): Promise<ResourceAccess> {
  const access = await store.resourceAccess.get(organization.id, id);
  if (!access) throw notFound();
  return access;
}

const RESOURCE_ACCESS = 'OrganizationResourceAccess';

const accessActivity = (access: ResourceAccess, caller: Caller) => ({
  organizationId: access.organizationId,
  projectId: null,
  userId: caller.user.id,
  scope: RESOURCE_ACCESS,
  itemId: access.id,
  name: access.resource,
});
