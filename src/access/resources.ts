/**
 * Kinds of resources that an organization can make read-only for its members. Admins may always edit; flags also those
 * with a role that has the level, or was granted access to a flag (`flag-permissions.ts`).
 */
import { forbidden } from '../core/errors.ts';
import { CAN_EDIT } from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { type Caller, isAdmin } from './callers.ts';

/** As the API names them. There are no session recordings here. */
export const RESOURCES = [
  'feature flags',
  'experiments',
  'cohorts',
  'data management',
  'session recordings',
  'insights',
  'dashboards',
] as const;
export type Resource = (typeof RESOURCES)[number];

export const FEATURE_FLAGS_RESOURCE = 'feature flags' satisfies Resource;

/** Throws if one of the resources is read-only for the caller. */
export async function requireEditor(
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
  resources: readonly Resource[],
): Promise<void> {
  if (isAdmin(caller, organizationId)) return;
  for (const resource of resources) {
    if (await isEditor(store, caller, organizationId, resource)) continue;
    throw forbidden(`You can only view ${resource} in this organization. Ask an admin for the right to edit.`);
  }
}

/** Whether `requireEditor` lets the caller pass. */
export const mayEdit = async (
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
  resource: Resource,
): Promise<boolean> => isAdmin(caller, organizationId) || (await isEditor(store, caller, organizationId, resource));

/** For members who are no admins. */
export async function isEditor(
  store: MetadataStore,
  caller: Caller,
  organizationId: string,
  resource: Resource,
): Promise<boolean> {
  const access = await store.resourceAccess.getByResource(organizationId, resource);
  if (!access || access.accessLevel === CAN_EDIT) return true;
  if (resource !== FEATURE_FLAGS_RESOURCE) return false;
  const roles = await store.roles.listByUser(organizationId, caller.user.id);
  return roles.some((role) => role.featureFlagsAccessLevel === CAN_EDIT);
}
