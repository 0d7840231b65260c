/** Invitations: what admins do with them. Accepting one: `sign-up-routes.ts`. */
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type Caller, requireFullKey } from '../../../access/callers.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { organizationRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN, MEMBER, type Organization } from '../../../stores/metadata/accounts.ts';
import { createInvite, deleteInvite } from '../invites.ts';
import { inviteLink } from '../links.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  InviteSchema,
  InvitesWriteSchema,
  InviteWriteSchema,
  NewInviteSchema,
  presentInvite,
} from './invite-schemas.ts';

const tag = 'invitations';

export function inviteRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const all = '/api/organizations/:organization_id/invites/';
  const inviteOne = async (
    caller: Caller,
    organization: Organization,
    body: Static<typeof InviteWriteSchema>,
    origin: string,
  ) => {
    const { target_email: email, first_name: firstName = '', level = MEMBER, message, send_email: isMailed } = body;
    // Whoever may make admins is one.
    if (level > MEMBER) requireFullKey(caller);
    const wanted = { email, firstName, level, message: message ?? null };
    const mail = isMailed === false ? {} : { mail: { mailer: deps.mailer, origin } };
    const { invite, token } = await createInvite(deps, caller, organization, { ...wanted, ...mail });
    const users = new Map([[caller.user.id, caller.user]]);
    return { ...presentInvite(invite, users, deps.clock.now()), link: inviteLink(origin, invite.id, token) };
  };
  organizationRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Open invitations, newest first',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    query: PAGE_QUERY,
    response: pageSchema(InviteSchema),
    handler: async ({ organization, query, url }) => {
      const page = readPage(query);
      const { count, items } = await deps.metadata.invites.list(organization.id, page);
      const users = await usersById(
        deps.metadata,
        items.map((item) => item.createdBy),
      );
      return envelope(url, page, { count, items }, (invite) => presentInvite(invite, users, deps.clock.now()));
    },
  });
  organizationRoute(app, deps, {
    method: 'POST',
    url: all,
    summary: 'Invite somebody; the link for them is in this response only',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    body: InviteWriteSchema,
    status: 201,
    response: NewInviteSchema,
    handler: ({ caller, organization, body, url }) => inviteOne(caller, organization, body, url.origin),
  });
  organizationRoute(app, deps, {
    method: 'POST',
    url: `${all}bulk/`,
    summary: 'Invite up to 20 people; the links for them are in this response only',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    body: InvitesWriteSchema,
    status: 201,
    response: Type.Array(NewInviteSchema),
    handler: async ({ caller, organization, body, url }) => {
      const made = [];
      for (const one of body) made.push(await inviteOne(caller, organization, one, url.origin));
      return made;
    },
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: `${all}:invite_id/`,
    summary: 'Withdraw an invitation; its link stops working immediately',
    tag,
    scope: 'organization_member',
    level: ADMIN,
    status: 204,
    handler: ({ caller, organization, params }) => deleteInvite(deps, caller, organization, params['invite_id'] ?? ''),
  });
}
