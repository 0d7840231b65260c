/**
 * Two cookies: one for the session, one to recognise a browser that has logged in before.
 *
 * On https their names begin with `__Host-`: browsers then refuse them from subdomains and from unencrypted pages, so
 * nobody can plant a session. Cookies of that name without https are refused too, hence the plain names there.
 */
import { parse, type SerializeOptions, serialize } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { isEncrypted } from '../security-headers.ts';

const SESSION_COOKIE = 'cairn_session';
const DEVICE_COOKIE = 'cairn_device';
const YEAR_SECONDS = 31_536_000;
const GONE = new Date(0);

const nameOf = (name: string, request: FastifyRequest, publicUrl: string | null): string =>
  isEncrypted(request, publicUrl) ? `__Host-${name}` : name;

const read = (request: FastifyRequest, name: string): string | undefined => parse(request.headers.cookie ?? '')[name];

const rules = (request: FastifyRequest, publicUrl: string | null): SerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: isEncrypted(request, publicUrl),
});

export const sessionCookie = (request: FastifyRequest, publicUrl: string | null): string | undefined =>
  read(request, nameOf(SESSION_COOKIE, request, publicUrl));

export const setSessionCookie = (
  request: FastifyRequest,
  publicUrl: string | null,
  value: string,
  expiresAt: number,
): string =>
  serialize(nameOf(SESSION_COOKIE, request, publicUrl), value, {
    ...rules(request, publicUrl),
    expires: new Date(expiresAt),
  });

/** Under both names, since one of an earlier version may be left. */
export function clearSessionCookies(request: FastifyRequest, publicUrl: string | null): string[] {
  const names = new Set([SESSION_COOKIE, nameOf(SESSION_COOKIE, request, publicUrl)]);
  return [...names].map((name) => serialize(name, '', { ...rules(request, publicUrl), expires: GONE }));
}

export const deviceCookie = (request: FastifyRequest, publicUrl: string | null): string | undefined =>
  read(request, nameOf(DEVICE_COOKIE, request, publicUrl));

/** Only used when logging in; the path `/` is what `__Host-` requires. */
export const setDeviceCookie = (request: FastifyRequest, publicUrl: string | null, value: string): string =>
  serialize(nameOf(DEVICE_COOKIE, request, publicUrl), value, {
    ...rules(request, publicUrl),
    ...(isEncrypted(request, publicUrl) ? {} : { path: '/api/login' }),
    sameSite: 'strict',
    maxAge: YEAR_SECONDS,
  });

/** Between two steps of signing in. */
export const readCookie = (request: FastifyRequest, publicUrl: string | null, name: string): string | undefined =>
  read(request, nameOf(name, request, publicUrl));

export const setShortCookie = (
  request: FastifyRequest,
  publicUrl: string | null,
  name: string,
  value: string,
  maxAge: number,
): string => serialize(nameOf(name, request, publicUrl), value, { ...rules(request, publicUrl), maxAge });

/** `__Host-` requires the path `/`, so a cookie for some paths alone has the next best prefix. */
export const secureName = (name: string, request: FastifyRequest, publicUrl: string | null): string =>
  isEncrypted(request, publicUrl) ? `__Secure-${name}` : name;

export const readCookieBelow = (request: FastifyRequest, publicUrl: string | null, name: string): string | undefined =>
  read(request, secureName(name, request, publicUrl));

export const setCookieBelow = (
  request: FastifyRequest,
  publicUrl: string | null,
  { name, path, value, maxAge }: { name: string; path: string; value: string; maxAge: number },
): string => serialize(secureName(name, request, publicUrl), value, { ...rules(request, publicUrl), path, maxAge });
