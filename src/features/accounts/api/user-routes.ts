import type { FastifyInstance } from 'fastify';
import {
  type Caller,
  currentOrganizationId,
  currentProject,
  hasProject,
  levelIn,
  requireFullKey,
} from '../../../access/callers.ts';
import { Failure } from '../../../core/errors.ts';
import { userRoute } from '../../../http/api/route.ts';
import { updateUser } from '../users.ts';
import type { AccountRouteDeps } from './deps.ts';
import { requireFreshSession, requireSelf } from './own-account.ts';
import { presentUser, UserChangeSchema, UserSchema } from './user-schemas.ts';

const tag = 'users';
const ALL = { limit: 1000, offset: 0 };

export function userRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const url = '/api/users/:id/';
  userRoute(app, deps, {
    method: 'GET',
    url,
    summary: 'Your own user: `@me`',
    tag,
    scope: 'user',
    limitsItself: true,
    beforeFactor: true,
    response: UserSchema,
    handler: async ({ caller, params }) => {
      requireSelf(caller, params['id']);
      return presentCaller(deps, caller);
    },
  });
  userRoute(app, deps, {
    method: 'PATCH',
    url,
    summary: 'Update your name, email, password, or current project and organization',
    tag,
    scope: 'user',
    limitsItself: true,
    body: UserChangeSchema,
    response: UserSchema,
    handler: async ({ caller, params, body, request }) => {
      requireSelf(caller, params['id']);
      if (body.email !== undefined || body.password !== undefined) {
        requireFullKey(caller);
        // Whoever signs in without a password has none to show: their session has to be a new one.
        const { passwordHash, lastSignedInAt } = caller.user;
        if (passwordHash === null && lastSignedInAt !== null) await requireFreshSession(deps, { caller, request });
      }
      // Limits guessing of the password with a stolen session or key.
      const attempt = { account: caller.user.email.toLowerCase(), address: request.ip, deviceToken: undefined };
      if (body.current_password !== undefined) await deps.signInGuard.recordAttempt(attempt);
      const user = await updateUser(deps, caller, {
        firstName: body.first_name,
        email: body.email,
        password: body.password,
        currentPassword: body.current_password,
        currentProjectId: body.set_current_team,
        currentOrganizationId: body.set_current_organization,
      });
      return presentCaller(deps, { ...caller, user });
    },
  });
}

/** Works for users without an organization, too. */
async function presentCaller({ metadata }: AccountRouteDeps, caller: Caller) {
  const none = (error: unknown): null => {
    if (error instanceof Failure && error.kind === 'not_found') return null;
    throw error;
  };
  const project = await currentProject(metadata, caller).catch(none);
  const { items: all } = await metadata.organizations.listByUser(caller.user.id, ALL);
  const organizations = all.filter(({ id }) => levelIn(caller, id) !== null);
  const currentId = organizations.length > 0 ? currentOrganizationId(caller) : null;
  const organization = organizations.find(({ id }) => id === currentId) ?? null;
  const listed = organization ? (await metadata.projects.list([organization.id], ALL)).items : [];
  const projects = listed.filter((one) => hasProject(caller, one));
  return presentUser({
    user: caller.user,
    project,
    organization,
    organizations,
    projects,
    memberships: caller.memberships,
  });
}
