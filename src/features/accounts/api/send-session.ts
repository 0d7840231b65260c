/** What the routes of signing in share: who asks, and how a session reaches the browser. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { requireSameOrigin } from '../../../http/api/same-origin.ts';
import { deviceCookie, setDeviceCookie, setSessionCookie, setShortCookie } from '../../../http/api/session-cookie.ts';
import { presentUserSummary } from '../../../http/schemas/common.ts';
import { ERROR_RESPONSES } from '../../../http/schemas/errors.ts';
import { type Browser, PENDING_SIGN_IN_MS, type SignInResult } from '../sessions.ts';
import type { AccountRouteDeps } from './deps.ts';
import { SignedInSchema } from './session-schemas.ts';

/** Nobody is signed in yet, so anybody may send one. */
const MAX_BODY_BYTES = 16 * 1024;

/** Another site must not be able to sign a visitor in or out. */
export const signInOptions = ({ config }: AccountRouteDeps) => ({
  onRequest: async (request: FastifyRequest): Promise<void> => requireSameOrigin(request, config.publicUrl),
  bodyLimit: MAX_BODY_BYTES,
});

export const SIGN_IN_SCHEMA = { tags: ['sign-in'], response: { 200: SignedInSchema, ...ERROR_RESPONSES } };

/** For routes that answer without a body. */
export const doneSchema = (description: string) => ({
  tags: ['sign-in'],
  response: { 204: { type: 'null', description }, ...ERROR_RESPONSES },
});

export const browserOf = ({ config }: AccountRouteDeps, request: FastifyRequest): Browser => ({
  address: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
  deviceToken: deviceCookie(request, config.publicUrl),
});

export const FACTOR_COOKIE = 'cairn_factor';

export function sendSession(
  { config: { publicUrl } }: AccountRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  result: SignInResult,
) {
  if (result.kind === 'factor_due') {
    const seconds = PENDING_SIGN_IN_MS / 1000;
    reply.header('set-cookie', setShortCookie(request, publicUrl, FACTOR_COOKIE, result.cookie, seconds));
    throw new Failure('unauthenticated', '2FA is required.', { code: '2fa_required' });
  }
  reply.header('set-cookie', sessionCookies(request, publicUrl, result));
  return { success: true, user: presentUserSummary(result.user) };
}

export const sessionCookies = (
  request: FastifyRequest,
  publicUrl: string | null,
  { cookie, expiresAt, deviceToken }: Extract<SignInResult, { kind: 'opened' }>,
): string[] => [
  setSessionCookie(request, publicUrl, cookie, expiresAt),
  setDeviceCookie(request, publicUrl, deviceToken),
];
