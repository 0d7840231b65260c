/** Signing in and out by the provider (OpenID Connect). These routes need no authentication. */

import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { readCookieBelow, setCookieBelow, setShortCookie } from '../../../http/api/session-cookie.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import { networkOf } from '../../../lib/network.ts';
import { countAttempt } from '../attempts.ts';
import { BEGUN_MS, type CallbackResult, type SingleSignOn } from '../oidc/single-sign-on.ts';
import { SsoFailure } from '../oidc/sso-failure.ts';
import { PENDING_SIGN_IN_MS } from '../sessions.ts';
import type { AccountRouteDeps } from './deps.ts';
import { browserOf, FACTOR_COOKIE, sessionCookies, signInOptions } from './send-session.ts';
import {
  LinkedSchema,
  LinkSchema,
  PendingLinkSchema,
  PrecheckAnswerSchema,
  PrecheckSchema,
} from './session-schemas.ts';
import { OIDC_START, signOut } from './sign-out.ts';

const BEGUN_COOKIE = { name: 'cairn_oidc', path: OIDC_START };
const LINK_COOKIE = { name: 'cairn_link', path: '/api/login/link' };
const MAX_PRECHECKS_PER_MINUTE = 30;
const MAX_TOKEN_BYTES = 64 * 1024;
const SECONDS = BEGUN_MS / 1000;

export function oidcRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  precheckRoute(app, deps);
  signInRoutes(app, deps);
  linkRoutes(app, deps);
  signOutRoutes(app, deps);
}

const hidden = { schema: { hide: true } } as const;

function precheckRoute(app: FastifyInstance, deps: AccountRouteDeps): void {
  app.post(
    '/api/login/precheck',
    {
      ...signInOptions(deps),
      schema: {
        tags: ['sign-in'],
        summary: 'How the domain of an address has its people sign in; the same for addresses without an account',
        body: PrecheckSchema,
        response: { 200: PrecheckAnswerSchema, ...ERROR_RESPONSES },
      },
    },
    async (request) => {
      const name = `precheck from ${networkOf(request.ip)}`;
      await countAttempt(deps, [{ name, max: MAX_PRECHECKS_PER_MINUTE, windowMs: MINUTE_MS }]);
      const { email } = request.body as Static<typeof PrecheckSchema>;
      const sso = (await deps.domains.isEnforced(email)) ? 'oidc' : null;
      return { sso_enforcement: sso, saml_available: false, webauthn_credentials: [] };
    },
  );
}

const required = ({ sso }: AccountRouteDeps): SingleSignOn => {
  if (sso) return sso;
  throw notFound('Single sign-on is not set up on this server (OIDC_ISSUER).');
};

function signInRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const { publicUrl } = deps.config;
  app.get(OIDC_START, hidden, async (request, reply) => {
    const sso = required(deps);
    try {
      const { url, cookie } = await sso.begin((request.query as { next?: unknown }).next);
      reply.header(
        'set-cookie',
        setCookieBelow(request, publicUrl, { ...BEGUN_COOKIE, value: cookie, maxAge: SECONDS }),
      );
      return reply.redirect(url, 302);
    } catch (error) {
      if (!(error instanceof SsoFailure)) throw error;
      deps.log.warn({ code: error.code, reason: error.message }, 'a sign-in by the provider could not begin');
      return reply.redirect(`/login?error=${error.code}`, 302);
    }
  });
  app.get(`${OIDC_START}callback`, hidden, async (request, reply) => {
    const sso = required(deps);
    const begun = readCookieBelow(request, publicUrl, BEGUN_COOKIE.name);
    const { search } = new URL(request.url, 'http://callback.invalid');
    const result = await sso.finish(search, begun, browserOf(deps, request));
    const { cookies, path } = answerOf(deps, request, result);
    const spent = setCookieBelow(request, publicUrl, { ...BEGUN_COOKIE, value: '', maxAge: 0 });
    return reply.header('set-cookie', [spent, ...cookies]).redirect(path, 302);
  });
}

/** What the browser keeps, and where it goes next. */
function answerOf({ config: { publicUrl } }: AccountRouteDeps, request: FastifyRequest, result: CallbackResult) {
  if (result.kind === 'refused') return { cookies: [], path: `/login?error=${result.code}` };
  const next = encodeURIComponent(result.next);
  if (result.kind === 'ask') {
    const cookie = setCookieBelow(request, publicUrl, { ...LINK_COOKIE, value: result.cookie, maxAge: SECONDS });
    return { cookies: [cookie], path: '/login/link' };
  }
  if (result.result.kind === 'opened') {
    return { cookies: sessionCookies(request, publicUrl, result.result), path: result.next };
  }
  const seconds = PENDING_SIGN_IN_MS / 1000;
  const cookie = setShortCookie(request, publicUrl, FACTOR_COOKIE, result.result.cookie, seconds);
  return { cookies: [cookie], path: `/login?factor=1&next=${next}` };
}

/** The account with the address is linked once its password was shown. */
function linkRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const { publicUrl } = deps.config;
  const cookieIn = (request: FastifyRequest) => readCookieBelow(request, publicUrl, LINK_COOKIE.name);
  app.get(
    '/api/login/link/',
    {
      schema: {
        tags: ['sign-in'],
        summary: 'Which account waits to be linked to your single sign-on',
        response: { 200: PendingLinkSchema, ...ERROR_RESPONSES },
      },
    },
    async (request) => {
      const sso = required(deps);
      const { user } = await sso.pendingLink(cookieIn(request));
      return { email: user.email, provider: sso.name, needs_code: await deps.factors.isDue(user) };
    },
  );
  app.post(
    '/api/login/link/',
    {
      ...signInOptions(deps),
      schema: {
        tags: ['sign-in'],
        summary: 'Link your account to your single sign-on, with its password once; signs you in',
        body: LinkSchema,
        response: { 200: LinkedSchema, ...ERROR_RESPONSES },
      },
    },
    async (request, reply) => {
      const { password, token: code } = request.body as Static<typeof LinkSchema>;
      const { result, next } = await required(deps).link(
        cookieIn(request),
        { password, code },
        browserOf(deps, request),
      );
      const spent = setCookieBelow(request, publicUrl, { ...LINK_COOKIE, value: '', maxAge: 0 });
      reply.header('set-cookie', [
        spent,
        ...(result.kind === 'opened' ? sessionCookies(request, publicUrl, result) : []),
      ]);
      return { success: true, next };
    },
  );
}

function signOutRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  app.get('/logout', hidden, async (request, reply) => {
    // A link on another site must not sign anybody out.
    if (request.headers['sec-fetch-site'] === 'cross-site') return reply.redirect('/', 302);
    return reply.redirect((await signOut(deps, request, reply)) ?? '/login', 302);
  });
  app.post(`${OIDC_START}backchannel-logout`, { ...hidden, bodyLimit: MAX_TOKEN_BYTES }, async (request, reply) => {
    const { logout_token: token } = (request.body ?? {}) as { logout_token?: unknown };
    try {
      await required(deps).signOutByProvider(typeof token === 'string' ? token : '');
      return reply.code(200).send({});
    } catch (error) {
      if (!(error instanceof SsoFailure)) throw error;
      deps.log.warn({ code: error.code, reason: error.message }, 'a sign-out by the provider was refused');
      // The form that providers understand (RFC 6749, 5.2).
      const status = error.code === 'sso_unavailable' ? 503 : 400;
      return reply.code(status).send({ error: status === 503 ? 'temporarily_unavailable' : 'invalid_request' });
    }
  });
}
