/** The cookie that stands for a sign-in. */
import { parse, serialize } from 'cookie';
import type { FastifyRequest } from 'fastify';

const SESSION_COOKIE = 'cairn_session';

export const sessionCookie = (request: FastifyRequest): string | undefined =>
  parse(request.headers.cookie ?? '')[SESSION_COOKIE];

/** Scripts cannot read it, other sites cannot send it along, and it travels encrypted where the site is. */
export const setSessionCookie = (request: FastifyRequest, value: string, expiresAt: number): string =>
  serialize(SESSION_COOKIE, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
    expires: new Date(expiresAt),
  });

export const clearSessionCookie = (request: FastifyRequest): string => setSessionCookie(request, '', 0);
