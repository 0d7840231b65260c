/** Signing in and out of the console. These doors are open to everybody: what they let through is decided inside. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenedSession } from '../../manage/sessions.ts';
import { presentUserSummary } from '../schemas/common.ts';
import { PROBLEMS } from '../schemas/errors.ts';
import { SetUpSchema, SignedInSchema, SignInSchema } from '../schemas/session.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie } from '../session-cookie.ts';
import type { ApiDeps } from './deps.ts';

export function sessionRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const schema = { tags: ['sign-in'], response: { 200: SignedInSchema, ...PROBLEMS } };
  app.post(
    '/api/login/',
    { schema: { ...schema, summary: 'Sign in to the console', body: SignInSchema } },
    (request, reply) => {
      const { email, password } = request.body as Static<typeof SignInSchema>;
      return welcome(request, reply, deps.sessions.signIn(email, password, request.ip));
    },
  );
  app.post(
    '/api/setup/',
    { schema: { ...schema, summary: 'Use the set-up link of the first start', body: SetUpSchema } },
    (request, reply) => {
      const { token, email, password, first_name } = request.body as Static<typeof SetUpSchema>;
      return welcome(request, reply, deps.sessions.setUp(token, email, password, first_name ?? ''));
    },
  );
  const done = { 204: { type: 'null', description: 'Done; there is no body.' } };
  app.post(
    '/api/logout/',
    { schema: { tags: ['sign-in'], summary: 'Sign out', response: done } },
    async (request, reply) => {
      const cookie = sessionCookie(request);
      if (cookie !== undefined) await deps.sessions.signOut(cookie);
      reply.header('set-cookie', clearSessionCookie(request));
      return reply.code(204).send();
    },
  );
}

async function welcome(request: FastifyRequest, reply: FastifyReply, opening: Promise<OpenedSession>) {
  const session = await opening;
  reply.header('set-cookie', setSessionCookie(request, session.cookie, session.expiresAt));
  return { success: true, user: presentUserSummary(session.user) };
}
