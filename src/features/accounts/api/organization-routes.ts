import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../../access/callers.ts';
import { isAdmin, levelIn } from '../../../access/callers.ts';
import { listActivity } from '../../../http/api/activity-list.ts';
import { organizationRoute, userRoute } from '../../../http/api/route.ts';
import { envelope, queryText, readPage } from '../../../http/paging.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN, type Organization, OWNER } from '../../../stores/metadata/accounts.ts';
import { ACCOUNT_SCOPES } from '../account-activity.ts';
import { createOrganization, deleteOrganization, updateOrganization } from '../organizations.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  OrganizationChangeSchema,
  OrganizationSchema,
  OrganizationWriteSchema,
  presentOrganization,
} from './organization-schemas.ts';

const tag = 'organizations';
const ALL_PROJECTS = { limit: 1000, offset: 0 };

export function organizationRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const show = async (caller: Caller, organization: Organization) => {
    const { items } = await deps.metadata.projects.list([organization.id], ALL_PROJECTS);
    return presentOrganization(organization, levelIn(caller, organization.id), items);
  };
  userRoute(app, deps, {
    method: 'GET',
    url: '/api/organizations/',
    summary: 'Organizations you belong to',
    tag,
    scope: 'organization',
    query: PAGE_QUERY,
    response: pageSchema(OrganizationSchema),
    handler: async ({ caller, query, url }) => {
      const page = readPage(query);
      const { count, items } = await deps.metadata.organizations.listByUser(caller.user.id, page);
      const shown = await Promise.all(items.map((organization) => show(caller, organization)));
      return envelope(url, page, { count, items: shown }, (one) => one);
    },
  });
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/organizations/',
    summary: 'Create an organization with a project; you become its owner',
    tag,
    scope: 'organization',
    body: OrganizationWriteSchema,
    status: 201,
    response: OrganizationSchema,
    handler: async ({ caller, body }) => {
      const { organization, project } = await createOrganization(deps, caller, body.name);
      return presentOrganization(organization, OWNER, [project]);
    },
  });
  const one = '/api/organizations/:organization_id/';
  organizationRoute(app, deps, {
    method: 'GET',
    url: one,
    summary: 'One organization',
    tag,
    scope: 'organization',
    response: OrganizationSchema,
    handler: ({ caller, organization }) => show(caller, organization),
  });
  organizationRoute(app, deps, {
    method: 'PATCH',
    url: one,
    summary: 'Rename an organization, require a second factor of its members, or close all shared links',
    tag,
    scope: 'organization',
    level: ADMIN,
    body: OrganizationChangeSchema,
    response: OrganizationSchema,
    handler: async ({ caller, organization, body }) =>
      show(
        caller,
        await updateOrganization(deps, caller, organization, {
          name: body.name,
          requiresFactor: body.enforce_2fa,
          allowsSharing: body.allow_publicly_shared_resources,
        }),
      ),
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: one,
    summary: 'Delete an organization with its projects and all their data',
    tag,
    scope: 'organization',
    level: OWNER,
    status: 204,
    handler: ({ caller, organization }) => deleteOrganization(deps, caller, organization),
  });
  organizationRoute(app, deps, {
    method: 'GET',
    url: `${one}activity/`,
    summary: 'Activity log of the organization, its members, roles and projects',
    tag,
    scope: 'activity_log',
    query: {
      ...ACTIVITY_QUERY,
      scope: 'Only changes to this kind of item: `FeatureFlag`, `Person`, `Team` and so on.',
    },
    response: ActivityPageSchema,
    handler: ({ caller, organization, query, url }) => {
      const scope = queryText(query, 'scope') || undefined;
      // When colleagues sign in, and from where, is for admins.
      const withoutScopes = isAdmin(caller, organization.id) ? [] : ACCOUNT_SCOPES;
      const about = { organizationId: organization.id, withoutScopes, ...(scope && { scope }) };
      return listActivity(deps, about, query, url);
    },
  });
}
