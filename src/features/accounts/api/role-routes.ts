import type { FastifyInstance } from 'fastify';
import { usersById } from '../../../http/api/activity-list.ts';
import { organizationRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN, type Role } from '../../../stores/metadata/accounts.ts';
import {
  addRoleMember,
  createRole,
  deleteRole,
  getRole,
  type RoleChanges,
  removeRoleMember,
  updateRole,
} from '../roles.ts';
import type { AccountRouteDeps } from './deps.ts';
import { presentRoles } from './present-roles.ts';
import {
  presentRoleMembership,
  RoleChangeSchema,
  RoleCreateSchema,
  RoleMembershipCreateSchema,
  RoleMembershipSchema,
  RoleSchema,
} from './role-schemas.ts';

const tag = 'roles';
const all = '/api/organizations/:organization_id/roles/';
const one = `${all}:role_id/`;

export function roleRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  listAndCreate(app, deps);
  roleItemRoutes(app, deps);
  roleMembershipRoutes(app, deps);
}

const presentOneRole = async (deps: AccountRouteDeps, role: Role) => (await presentRoles(deps, [role]))[0];

function listAndCreate(app: FastifyInstance, deps: AccountRouteDeps): void {
  organizationRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Roles of an organization',
    tag,
    scope: 'organization_member',
    query: PAGE_QUERY,
    response: pageSchema(RoleSchema),
    handler: async ({ organization, query, url }) => {
      const page = readPage(query);
      const { count, items } = await deps.metadata.roles.list(organization.id, page);
      return envelope(url, page, { count, items: await presentRoles(deps, items) }, (role) => role);
    },
  });
  organizationRoute(app, deps, {
    method: 'POST',
    url: all,
    summary: "Create a role; its level is the organization's default",
    tag,
    scope: 'organization_member',
    level: ADMIN,
    body: RoleCreateSchema,
    status: 201,
    response: RoleSchema,
    handler: async ({ caller, organization, body }) =>
      presentOneRole(deps, await createRole(deps, caller, organization, body.name)),
  });
}

function roleItemRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  organizationRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One role',
    tag,
    scope: 'organization_member',
    response: RoleSchema,
    handler: async ({ organization, params }) =>
      presentOneRole(deps, await getRole(deps.metadata, organization, params['role_id'] ?? '')),
  });
  organizationRoute(app, deps, {
    method: 'PATCH',
    url: one,
    summary: 'Rename a role or change its level',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    body: RoleChangeSchema,
    response: RoleSchema,
    handler: async ({ caller, organization, params, body }) => {
      const changes: RoleChanges = {};
      if (body.name !== undefined) changes.name = body.name;
      if (body.feature_flags_access_level !== undefined) {
        changes.featureFlagsAccessLevel = body.feature_flags_access_level;
      }
      return presentOneRole(deps, await updateRole(deps, caller, organization, params['role_id'] ?? '', changes));
    },
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: one,
    summary: 'Delete a role',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    status: 204,
    handler: ({ caller, organization, params }) => deleteRole(deps, caller, organization, params['role_id'] ?? ''),
  });
}

function roleMembershipRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const memberships = `${one}role_memberships/`;
  organizationRoute(app, deps, {
    method: 'GET',
    url: memberships,
    summary: 'Members of the role',
    tag,
    scope: 'organization_member',
    query: PAGE_QUERY,
    response: pageSchema(RoleMembershipSchema),
    handler: async ({ organization, params, query, url }) => {
      const role = await getRole(deps.metadata, organization, params['role_id'] ?? '');
      const items = await deps.metadata.roleMemberships.listByRoles([role.id]);
      const users = await usersById(
        deps.metadata,
        items.map((item) => item.userId),
      );
      const shown = items.flatMap((item) => {
        const user = users.get(item.userId);
        return user ? [presentRoleMembership(item, user)] : [];
      });
      const page = readPage(query);
      const onPage = shown.slice(page.offset, page.offset + page.limit);
      return envelope(url, page, { count: shown.length, items: onPage }, (membership) => membership);
    },
  });
  organizationRoute(app, deps, {
    method: 'POST',
    url: memberships,
    summary: 'Add a member of the organization to the role',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    body: RoleMembershipCreateSchema,
    status: 201,
    response: RoleMembershipSchema,
    handler: async ({ caller, organization, params, body }) => {
      const { membership, user } = await addRoleMember(
        deps,
        caller,
        organization,
        params['role_id'] ?? '',
        body.user_uuid,
      );
      return presentRoleMembership(membership, user);
    },
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: `${memberships}:id/`,
    summary: 'Remove a member from the role',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    status: 204,
    handler: ({ caller, organization, params }) =>
      removeRoleMember(deps, caller, organization, params['role_id'] ?? '', params['id'] ?? ''),
  });
}
