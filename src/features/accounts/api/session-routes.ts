/** Signing in and out of the console. These doors are open to everybody: what they let through is decided inside. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseForgery } from '../../../http/api/same-origin.ts';
import {
  clearSessionCookie,
  deviceCookie,
  sessionCookie,
  setDeviceCookie,
  setSessionCookie,
} from '../../../http/api/session-cookie.ts';
import { presentUserSummary } from '../../../http/schemas/common.ts';
import { PROBLEMS } from '../../../http/schemas/errors.ts';
import type { OpenedSession } from '../sessions.ts';
import type { ApiDeps } from './deps.ts';
import { SetUpSchema, SignedInSchema, SignInSchema } from './session-schemas.ts';

export function sessionRoutes(app: FastifyInstance, deps: ApiDeps): void {
  // Another site must not sign anybody in, as somebody of its choice, or out.
  const onRequest = async (request: FastifyRequest): Promise<void> => refuseForgery(request, deps.config.publicUrl);
  const schema = { tags: ['sign-in'], response: { 200: SignedInSchema, ...PROBLEMS } };
  app.post(
    '/api/login/',
    { onRequest, schema: { ...schema, summary: 'Sign in to the console', body: SignInSchema } },
    (request, reply) => {
      const { email, password } = request.body as Static<typeof SignInSchema>;
      const opening = deps.sessions.signIn(email, password, request.ip, deviceCookie(request));
      return welcome(deps, request, reply, opening);
    },
  );
  app.post(
    '/api/setup/',
    { onRequest, schema: { ...schema, summary: 'Use the set-up link of the first start', body: SetUpSchema } },
    (request, reply) => {
      const { token, email, password, first_name } = request.body as Static<typeof SetUpSchema>;
      return welcome(deps, request, reply, deps.sessions.setUp(token, email, password, first_name ?? ''));
    },
  );
  const done = { 204: { type: 'null', description: 'Done; there is no body.' } };
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

async function welcome(
  { config: { publicUrl } }: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  opening: Promise<OpenedSession>,
) {
  const { cookie, user, expiresAt, device } = await opening;
  reply.header('set-cookie', [
    setSessionCookie(request, publicUrl, cookie, expiresAt),
    setDeviceCookie(request, publicUrl, device),
  ]);
  return { success: true, user: presentUserSummary(user) };
}
