import type { FastifyInstance } from 'fastify';
import { FULL_KEY } from '../../../core/scopes.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { organizationRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import { changeMemberLevel, type OrganizationMember, removeMember } from '../members.ts';
import type { AccountRouteDeps } from './deps.ts';
import { MemberChangeSchema, MemberSchema, presentMember } from './organization-schemas.ts';

const tag = 'members';
const show = ({ membership, user }: OrganizationMember) => presentMember(membership, user);

export function memberRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const all = '/api/organizations/:organization_id/members/';
  const one = `${all}:user_uuid/`;
  organizationRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Members of an organization',
    tag,
    scope: 'organization_member',
    query: PAGE_QUERY,
    response: pageSchema(MemberSchema),
    handler: async ({ organization, query, url }) => {
      const page = readPage(query);
      const { count, items } = await deps.metadata.memberships.list(organization.id, page);
      const users = await usersById(
        deps.metadata,
        items.map((item) => item.userId),
      );
      const members = items.flatMap((membership) => {
        const user = users.get(membership.userId);
        return user ? [{ membership, user }] : [];
      });
      return envelope(url, page, { count, items: members }, show);
    },
  });
  organizationRoute(app, deps, {
    method: 'PATCH',
    url: one,
    summary: "Change a member's level: 1 member, 8 admin, 15 owner",
    tag,
    scope: FULL_KEY,
    level: ADMIN,
    body: MemberChangeSchema,
    response: MemberSchema,
    handler: async ({ caller, organization, params, body }) =>
      show(await changeMemberLevel(deps, caller, organization, params['user_uuid'] ?? '', body.level)),
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: one,
    summary: 'Remove a member, or leave',
    tag,
    scope: 'organization_member',
    status: 204,
    handler: ({ caller, organization, params }) => removeMember(deps, caller, organization, params['user_uuid'] ?? ''),
  });
}
