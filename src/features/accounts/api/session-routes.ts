/** Signing in and out of the console. These routes need no authentication. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireSameOrigin } from '../../../http/api/same-origin.ts';
import {
  clearSessionCookie,
  deviceCookie,
  sessionCookie,
  setDeviceCookie,
  setSessionCookie,
} from '../../../http/api/session-cookie.ts';
import { presentUserSummary } from '../../../http/schemas/common.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import type { OpenedSession } from '../sessions.ts';
import type { AccountRouteDeps } from './deps.ts';
import { SetUpSchema, SignedInSchema, SignInSchema } from './session-schemas.ts';

export function sessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  // Another site must not be able to sign a visitor in or out.
  const onRequest = async (request: FastifyRequest): Promise<void> => requireSameOrigin(request, deps.config.publicUrl);
  const schema = { tags: ['sign-in'], response: { 200: SignedInSchema, ...ERROR_RESPONSES } };
  app.post(
    '/api/login/',
    { onRequest, schema: { ...schema, summary: 'Sign in to the console', body: SignInSchema } },
    (request, reply) => {
      const { email, password } = request.body as Static<typeof SignInSchema>;
      const opening = deps.sessions.signIn(email, password, request.ip, deviceCookie(request));
      return sendSession(deps, request, reply, opening);
    },
  );
  app.post(
    '/api/setup/',
    { onRequest, schema: { ...schema, summary: 'Create the first account with the set-up link', body: SetUpSchema } },
    (request, reply) => {
      const { token, email, password, first_name } = request.body as Static<typeof SetUpSchema>;
      return sendSession(deps, request, reply, deps.sessions.setUp(token, email, password, first_name ?? ''));
    },
  );
  const done = { 204: { type: 'null', description: 'Signed out.' } };
  app.post(
    '/api/logout/',
    { onRequest, schema: { tags: ['sign-in'], summary: 'Sign out', response: done } },
    async (request, reply) => {
      const cookie = sessionCookie(request);
      if (cookie !== undefined) await deps.sessions.signOut(cookie);
      reply.header('set-cookie', clearSessionCookie(request, deps.config.publicUrl));
      return reply.code(204).send();
    },
  );
}

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
