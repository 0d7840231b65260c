/** Signing in and out of the console. These routes need no authentication. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerBySession } from '../../../access/callers.ts';
import { requireSameOrigin } from '../../../http/api/same-origin.ts';
import {
  clearSessionCookies,
  deviceCookie,
  sessionCookie,
  setDeviceCookie,
  setSessionCookie,
} from '../../../http/api/session-cookie.ts';
import { presentUserSummary } from '../../../http/schemas/common.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import { findInvite } from '../invites.ts';
import type { OpenedSession } from '../sessions.ts';
import type { AccountRouteDeps } from './deps.ts';
import { presentSignUp, SignUpPreviewSchema, SignUpSchema } from './invite-schemas.ts';
import { SetUpSchema, SignedInSchema, SignInSchema } from './session-schemas.ts';

/** Nobody is signed in yet, so anybody may send one. */
const MAX_BODY_BYTES = 16 * 1024;

export function sessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  // Another site must not be able to sign a visitor in or out.
  const onRequest = async (request: FastifyRequest): Promise<void> => requireSameOrigin(request, deps.config.publicUrl);
  const schema = { tags: ['sign-in'], response: { 200: SignedInSchema, ...ERROR_RESPONSES } };
  app.post(
    '/api/login/',
    {
      onRequest,
      bodyLimit: MAX_BODY_BYTES,
      schema: { ...schema, summary: 'Sign in to the console', body: SignInSchema },
    },
    (request, reply) => {
      const { email, password } = request.body as Static<typeof SignInSchema>;
      const opening = deps.sessions.signIn(email, password, browserOf(deps, request));
      return sendSession(deps, request, reply, opening);
    },
  );
  app.post(
    '/api/setup/',
    {
      onRequest,
      bodyLimit: MAX_BODY_BYTES,
      schema: { ...schema, summary: 'Create the first account with the set-up link', body: SetUpSchema },
    },
    (request, reply) => {
      const { first_name: firstName = '', ...given } = request.body as Static<typeof SetUpSchema>;
      return sendSession(deps, request, reply, deps.sessions.setUp({ ...given, firstName }, request.ip));
    },
  );
  signUpRoutes(app, deps, { onRequest, schema });
  const done = { 204: { type: 'null', description: 'Signed out.' } };
  app.post(
    '/api/logout/',
    { onRequest, bodyLimit: MAX_BODY_BYTES, schema: { tags: ['sign-in'], summary: 'Sign out', response: done } },
    async (request, reply) => {
      const cookie = sessionCookie(request, deps.config.publicUrl);
      if (cookie !== undefined) await deps.sessions.signOut(cookie);
      reply.header('set-cookie', clearSessionCookies(request, deps.config.publicUrl));
      return reply.code(204).send();
    },
  );
}

const browserOf = ({ config }: AccountRouteDeps, request: FastifyRequest) => ({
  address: request.ip,
  deviceToken: deviceCookie(request, config.publicUrl),
});

async function sendSession(
  { config: { publicUrl } }: AccountRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  opening: Promise<OpenedSession>,
) {
  const { cookie, user, expiresAt, deviceToken } = await opening;
  reply.header('set-cookie', [
    setSessionCookie(request, publicUrl, cookie, expiresAt),
    setDeviceCookie(request, publicUrl, deviceToken),
  ]);
  return { success: true, user: presentUserSummary(user) };
}

interface Shared {
  onRequest(request: FastifyRequest): Promise<void>;
  schema: { tags: string[]; response: Record<number, unknown> };
}

/** The link of an invitation. Its token is in a header or in the body, never in a URL, which logs would keep. */
function signUpRoutes(app: FastifyInstance, deps: AccountRouteDeps, { onRequest, schema }: Shared): void {
  const url = '/api/signup/:invite_id/';
  const inviteId = (request: FastifyRequest): string => (request.params as { invite_id: string }).invite_id;
  const caller = async (request: FastifyRequest): Promise<Caller | null> => {
    const cookie = sessionCookie(request, deps.config.publicUrl);
    return cookie === undefined ? null : callerBySession(deps, cookie);
  };
  const preview = { ...schema, response: { ...schema.response, 200: SignUpPreviewSchema } };
  app.get(
    url,
    { schema: { ...preview, summary: 'What an invitation is for; its token is in the header `X-Invite-Token`' } },
    async (request) => {
      const { invite, organization } = await findInvite(
        deps,
        inviteId(request),
        String(request.headers['x-invite-token']),
      );
      const user = (await caller(request))?.user;
      return presentSignUp(invite, organization, user?.email === invite.email);
    },
  );
  app.post(
    url,
    { onRequest, schema: { ...schema, summary: 'Accept an invitation', body: SignUpSchema } },
    async (request, reply) => {
      const { token, password, first_name: firstName } = request.body as Static<typeof SignUpSchema>;
      const given = { id: inviteId(request), token, password, firstName, caller: await caller(request) };
      const { user, opened } = await deps.sessions.signUp(given, browserOf(deps, request));
      return opened === null
        ? { success: true, user: presentUserSummary(user) }
        : sendSession(deps, request, reply, Promise.resolve(opened));
    },
  );
}
