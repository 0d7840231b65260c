/** Signing in and out of the console. These routes need no authentication. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { clearSessionCookies, sessionCookie } from '../../../http/api/session-cookie.ts';
import type { AccountRouteDeps } from './deps.ts';
import { browserOf, doneSchema, SIGN_IN_SCHEMA, sendSession, signInOptions } from './send-session.ts';
import { SetUpSchema, SignInOptionsSchema, SignInSchema } from './session-schemas.ts';

export function sessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const options = signInOptions(deps);
  app.post(
    '/api/login/',
    { ...options, schema: { ...SIGN_IN_SCHEMA, summary: 'Sign in to the console', body: SignInSchema } },
    (request, reply) => {
      const { email, password } = request.body as Static<typeof SignInSchema>;
      const opening = deps.sessions.signIn(email, password, browserOf(deps, request));
      return sendSession(deps, request, reply, opening);
    },
  );
  app.get(
    '/api/login/options/',
    { schema: { tags: ['sign-in'], summary: 'How people can sign in here', response: { 200: SignInOptionsSchema } } },
    async () => ({ password_reset: deps.mailer.isAvailable }),
  );
  app.post(
    '/api/setup/',
    {
      ...options,
      schema: { ...SIGN_IN_SCHEMA, summary: 'Create the first account with the set-up link', body: SetUpSchema },
    },
    (request, reply) => {
      const { first_name: firstName = '', ...given } = request.body as Static<typeof SetUpSchema>;
      const opening = deps.sessions.setUp({ ...given, firstName }, browserOf(deps, request));
      return sendSession(deps, request, reply, opening);
    },
  );
  app.post(
    '/api/logout/',
    { ...options, schema: { ...doneSchema('Signed out.'), summary: 'Sign out' } },
    async (request, reply) => {
      const cookie = sessionCookie(request, deps.config.publicUrl);
      if (cookie !== undefined) await deps.sessions.signOut(cookie);
      reply.header('set-cookie', clearSessionCookies(request, deps.config.publicUrl));
      return reply.code(204).send();
    },
  );
}
