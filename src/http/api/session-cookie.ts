/** Two cookies: one for the session, one to recognise a browser that has logged in before. */
import { parse, type SerializeOptions, serialize } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { isEncrypted } from '../security-headers.ts';

const SESSION_COOKIE = 'cairn_session';
const DEVICE_COOKIE = 'cairn_device';
const YEAR_SECONDS = 31_536_000;

const read = (request: FastifyRequest, name: string): string | undefined => parse(request.headers.cookie ?? '')[name];

const rules = (request: FastifyRequest, publicUrl: string | null): SerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: isEncrypted(request, publicUrl),
});

export const sessionCookie = (request: FastifyRequest): string | undefined => read(request, SESSION_COOKIE);

export const setSessionCookie = (
  request: FastifyRequest,
  publicUrl: string | null,
  value: string,
  expiresAt: number,
): string => serialize(SESSION_COOKIE, value, { ...rules(request, publicUrl), expires: new Date(expiresAt) });

export const clearSessionCookie = (request: FastifyRequest, publicUrl: string | null): string =>
  setSessionCookie(request, publicUrl, '', 0);

export const deviceCookie = (request: FastifyRequest): string | undefined => read(request, DEVICE_COOKIE);

/** Only sent when logging in. */
export const setDeviceCookie = (request: FastifyRequest, publicUrl: string | null, value: string): string =>
  serialize(DEVICE_COOKIE, value, {
    ...rules(request, publicUrl),
    path: '/api/login',
    sameSite: 'strict',
    maxAge: YEAR_SECONDS,
  });
