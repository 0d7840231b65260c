/** The organization's default access levels for kinds of resources. */
import type { FastifyInstance } from 'fastify';
import { usersById } from '../../../http/api/activity-list.ts';
import { organizationRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN, CAN_EDIT, type ResourceAccess } from '../../../stores/metadata/accounts.ts';
import {
  changeResourceAccess,
  createResourceAccess,
  deleteResourceAccess,
  getResourceAccess,
} from '../resource-access.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  presentResourceAccess,
  ResourceAccessChangeSchema,
  ResourceAccessCreateSchema,
  ResourceAccessSchema,
} from './role-schemas.ts';

const tag = 'roles';
const all = '/api/organizations/:organization_id/resource_access/';
const one = `${all}:id/`;

export function resourceAccessRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const show = async (access: ResourceAccess) =>
    presentResourceAccess(access, await usersById(deps.metadata, [access.createdBy]));
  organizationRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: "The organization's default access levels",
    tag,
    scope: 'access_control',
    query: PAGE_QUERY,
    response: pageSchema(ResourceAccessSchema),
    handler: async ({ organization, query, url }) => {
      const page = readPage(query);
      const { count, items } = await deps.metadata.resourceAccess.list(organization.id, page);
      return envelope(url, page, { count, items: await Promise.all(items.map(show)) }, (access) => access);
    },
  });
  organizationRoute(app, deps, {
    method: 'POST',
    url: all,
    summary: 'Set the default access level for a kind of resource',
    tag,
    scope: 'access_control',
    level: ADMIN,
    body: ResourceAccessCreateSchema,
    status: 201,
    response: ResourceAccessSchema,
    handler: async ({ caller, organization, body }) =>
      show(await createResourceAccess(deps, caller, organization, body.resource, body.access_level ?? CAN_EDIT)),
  });
  organizationRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One default access level',
    tag,
    scope: 'access_control',
    response: ResourceAccessSchema,
    handler: async ({ organization, params }) =>
      show(await getResourceAccess(deps.metadata, organization, params['id'] ?? '')),
  });
  organizationRoute(app, deps, {
    method: 'PATCH',
    url: one,
    summary: 'Update a default access level',
    tag,
    scope: 'access_control',
    level: ADMIN,
    body: ResourceAccessChangeSchema,
    response: ResourceAccessSchema,
    handler: async ({ caller, organization, params, body }) =>
      show(await changeResourceAccess(deps, caller, organization, params['id'] ?? '', body.access_level)),
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: one,
    summary: 'Delete a default access level; 37 applies again',
    tag,
    scope: 'access_control',
    level: ADMIN,
    status: 204,
    handler: ({ caller, organization, params }) => deleteResourceAccess(deps, caller, organization, params['id'] ?? ''),
  });
}
