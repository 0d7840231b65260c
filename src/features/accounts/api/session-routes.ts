/** Signing in and out of the console. These routes need no authentication. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { readCookie } from '../../../http/api/session-cookie.ts';
import type { AccountRouteDeps } from './deps.ts';
import { CodeSchema } from './factor-schemas.ts';
import { browserOf, doneSchema, FACTOR_COOKIE, SIGN_IN_SCHEMA, sendSession, signInOptions } from './send-session.ts';
import { SetUpSchema, SignedOutSchema, SignInOptionsSchema, SignInSchema } from './session-schemas.ts';
import { OIDC_START, signOut } from './sign-out.ts';

export function sessionRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const options = signInOptions(deps);
  app.post(
    '/api/login/',
    { ...options, schema: { ...SIGN_IN_SCHEMA, summary: 'Sign in to the console', body: SignInSchema } },
    async (request, reply) => {
      const { email, password, local = false } = request.body as Static<typeof SignInSchema>;
      const result = await deps.sessions.signIn(email, password, browserOf(deps, request), local);
      return sendSession(deps, request, reply, result);
    },
  );
  app.post(
    '/api/login/token/',
    {
      ...options,
      schema: {
        ...SIGN_IN_SCHEMA,
        summary: 'Second step of signing in: a code of your authenticator app, or a recovery code',
        body: CodeSchema,
      },
    },
    async (request, reply) => {
      const cookie = readCookie(request, deps.config.publicUrl, FACTOR_COOKIE);
      const { token } = request.body as Static<typeof CodeSchema>;
      return sendSession(deps, request, reply, await deps.sessions.showFactor(cookie, token, browserOf(deps, request)));
    },
  );
  app.get(
    '/api/login/options/',
    { schema: { tags: ['sign-in'], summary: 'How people can sign in here', response: { 200: SignInOptionsSchema } } },
    async () => ({
      password_reset: deps.mailer.isAvailable,
      sso: deps.sso === null ? null : { name: deps.sso.name, url: OIDC_START },
    }),
  );
  app.post(
    '/api/setup/',
    {
      ...options,
      schema: { ...SIGN_IN_SCHEMA, summary: 'Create the first account with the set-up link', body: SetUpSchema },
    },
    async (request, reply) => {
      const { first_name: firstName = '', ...given } = request.body as Static<typeof SetUpSchema>;
      const opened = await deps.sessions.setUp({ ...given, firstName }, browserOf(deps, request));
      return sendSession(deps, request, reply, opened);
    },
  );
  app.post(
    '/api/logout/',
    {
      ...options,
      schema: {
        ...doneSchema('Signed out.'),
        response: { 200: SignedOutSchema, ...doneSchema('Signed out.').response },
        summary: 'Sign out',
      },
    },
    async (request, reply) => {
      const redirect = await signOut(deps, request, reply);
      return redirect === null ? reply.code(204).send() : { redirect };
    },
  );
}
