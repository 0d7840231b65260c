/** Which sessions are open, and how they are ended: one's own, and those of members. */
import type { FastifyInstance } from 'fastify';
import { requireSession } from '../../../access/callers.ts';
import { FULL_KEY } from '../../../core/scopes.ts';
import { organizationRoute, userRoute } from '../../../http/api/route.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import { endOtherSessions, endSession, listOpenSessions, memberForAdmin } from '../open-sessions.ts';
import type { AccountRouteDeps } from './deps.ts';
import { requireSelf } from './own-account.ts';
import { OpenSessionsSchema, presentOpenSession } from './session-schemas.ts';

const tag = 'sessions';

export function openSessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  ownSessionRoutes(app, deps);
  memberSessionRoutes(app, deps);
}

function ownSessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const all = '/api/users/:id/sessions/';
  userRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Your open sessions, latest seen first',
    tag,
    scope: FULL_KEY,
    response: OpenSessionsSchema,
    handler: async ({ caller, params }) => {
      requireSelf(caller, params['id']);
      requireSession(caller);
      return (await listOpenSessions(deps, caller.user)).map((one) => presentOpenSession(one, caller.session?.hash));
    },
  });
  userRoute(app, deps, {
    method: 'DELETE',
    url: `${all}:session_id/`,
    summary: 'End one of your sessions',
    tag,
    scope: FULL_KEY,
    status: 204,
    handler: async ({ caller, params }) => {
      requireSelf(caller, params['id']);
      requireSession(caller);
      await endSession(deps, caller, caller.user, params['session_id'] ?? '');
    },
  });
  userRoute(app, deps, {
    method: 'POST',
    url: `${all}revoke_others/`,
    summary: 'End all of your sessions but this one',
    tag,
    scope: FULL_KEY,
    status: 204,
    handler: async ({ caller, params }) => {
      requireSelf(caller, params['id']);
      requireSession(caller);
      await endOtherSessions(deps, caller);
    },
  });
}

function memberSessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const all = '/api/organizations/:organization_id/members/:user_uuid/sessions/';
  organizationRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: "A member's open sessions, latest seen first",
    tag,
    scope: FULL_KEY,
    level: ADMIN,
    response: OpenSessionsSchema,
    handler: async ({ caller, organization, params }) => {
      requireSession(caller);
      const user = await memberForAdmin(deps, caller, organization, params['user_uuid'] ?? '');
      return (await listOpenSessions(deps, user)).map((one) => presentOpenSession(one, caller.session?.hash));
    },
  });
  organizationRoute(app, deps, {
    method: 'DELETE',
    url: `${all}:session_id/`,
    summary: "End a member's session",
    tag,
    scope: FULL_KEY,
    level: ADMIN,
    status: 204,
    handler: async ({ caller, organization, params }) => {
      requireSession(caller);
      const user = await memberForAdmin(deps, caller, organization, params['user_uuid'] ?? '');
      await endSession(deps, caller, user, params['session_id'] ?? '');
    },
  });
}
