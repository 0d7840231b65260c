/** Passkeys: one's own, and signing in with one. */
import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireSession } from '../../../access/callers.ts';
import { FULL_KEY } from '../../../core/scopes.ts';
import { userRoute } from '../../../http/api/route.ts';
import { readCookie, setShortCookie } from '../../../http/api/session-cookie.ts';
import { requestUrl } from '../../../http/paging.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import type { AccountRouteDeps } from './deps.ts';
import {
  NewPasskeySchema,
  PasskeyChangeSchema,
  PasskeyOptionsSchema,
  PasskeyRegistrationSchema,
  PasskeySchema,
  PasskeySignInSchema,
  presentPasskey,
} from './factor-schemas.ts';
import { requireFreshSession } from './own-account.ts';
import { browserOf, FACTOR_COOKIE, SIGN_IN_SCHEMA, sendSession, signInOptions } from './send-session.ts';

const tag = 'passkeys';
const COOKIE = 'cairn_passkey';
const COOKIE_SECONDS = 300;

export function passkeyRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  registrationRoutes(app, deps);
  passkeySignInRoutes(app, deps);
  const all = '/api/webauthn/credentials/';
  userRoute(app, deps, {
    method: 'GET',
    url: all,
    summary: 'Your passkeys, oldest first',
    tag,
    scope: FULL_KEY,
    beforeFactor: true,
    response: Type.Array(PasskeySchema),
    handler: async ({ caller }) => {
      requireSession(caller);
      return (await deps.metadata.factors.listPasskeys(caller.user.id)).map(presentPasskey);
    },
  });
  userRoute(app, deps, {
    method: 'PATCH',
    url: `${all}:passkey_id/`,
    summary: 'Rename a passkey',
    tag,
    scope: FULL_KEY,
    body: PasskeyChangeSchema,
    response: PasskeySchema,
    handler: async ({ caller, params, body }) => {
      requireSession(caller);
      return presentPasskey(await deps.passkeys.rename(caller.user, params['passkey_id'] ?? '', body.label));
    },
  });
  userRoute(app, deps, {
    method: 'DELETE',
    url: `${all}:passkey_id/`,
    summary: 'Delete a passkey, within ten minutes of signing in',
    tag,
    scope: FULL_KEY,
    status: 204,
    handler: async (context) => {
      await requireFreshSession(deps, context);
      await deps.passkeys.delete(context.caller.user, context.params['passkey_id'] ?? '');
    },
  });
}

const siteOf = ({ config }: AccountRouteDeps, request: FastifyRequest) => requestUrl(request, config.publicUrl);

function registrationRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const { publicUrl } = deps.config;
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/webauthn/register/begin',
    summary: 'Begin to add a passkey, within ten minutes of signing in',
    tag,
    scope: FULL_KEY,
    beforeFactor: true,
    response: PasskeyOptionsSchema,
    handler: async (context) => {
      const { caller, request, reply, url } = context;
      await requireFreshSession(deps, context);
      const { options, cookie } = await deps.passkeys.beginRegistration(caller.user, url);
      reply.header('set-cookie', setShortCookie(request, publicUrl, COOKIE, cookie, COOKIE_SECONDS));
      return options;
    },
  });
  userRoute(app, deps, {
    method: 'POST',
    url: '/api/webauthn/register/complete',
    summary: 'Add a passkey; with your first factor, recovery codes are in this response only',
    tag,
    scope: FULL_KEY,
    beforeFactor: true,
    body: PasskeyRegistrationSchema,
    status: 201,
    response: NewPasskeySchema,
    handler: async ({ caller, body, request, url }) => {
      requireSession(caller);
      const cookie = readCookie(request, publicUrl, COOKIE);
      const given = { cookie, label: body.label, response: body.credential };
      const { passkey, codes } = await deps.passkeys.completeRegistration(caller, url, given);
      return { ...presentPasskey(passkey), backup_codes: codes };
    },
  });
}

/** These need no authentication. */
function passkeySignInRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const { publicUrl } = deps.config;
  const options = signInOptions(deps);
  const response = { 200: PasskeyOptionsSchema, ...ERROR_RESPONSES };
  app.post(
    '/api/webauthn/login/begin',
    { ...options, schema: { tags: ['sign-in'], summary: 'Begin to sign in with a passkey', response } },
    async (request, reply) => {
      const begun = await deps.passkeys.beginSignIn(siteOf(deps, request));
      reply.header('set-cookie', setShortCookie(request, publicUrl, COOKIE, begun.cookie, COOKIE_SECONDS));
      return begun.options;
    },
  );
  app.post(
    '/api/webauthn/login/complete',
    { ...options, schema: { ...SIGN_IN_SCHEMA, summary: 'Sign in with a passkey', body: PasskeySignInSchema } },
    async (request, reply) => {
      const { credential } = request.body as Static<typeof PasskeySignInSchema>;
      const pending = readCookie(request, publicUrl, FACTOR_COOKIE);
      const given = { cookie: readCookie(request, publicUrl, COOKIE), response: credential, pending };
      const opening = deps.sessions.signInWithPasskey(siteOf(deps, request), given, browserOf(deps, request));
      return sendSession(deps, request, reply, await opening);
    },
  );
}
