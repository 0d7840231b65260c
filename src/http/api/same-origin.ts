/**
 * Protection against CSRF: browsers send the session cookie with requests that other sites make, and say which site that
 * is. Requests without that information are not from browsers, or only read.
 */
import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../core/errors.ts';

export function requireSameOrigin(request: FastifyRequest, publicUrl: string | null): void {
  if (request.method === 'GET') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined ? site !== 'cross-site' : isOurs(origin, request, publicUrl)) return;
  throw forbidden(
    `CSRF Failed: requests with a session must come from the console itself, not from ${origin ?? 'another site'}.`,
  );
}

function isOurs(origin: string, request: FastifyRequest, publicUrl: string | null): boolean {
  const from = URL.canParse(origin) ? new URL(origin) : null;
  if (from === null) return false;
  const ours = publicUrl === null ? null : new URL(publicUrl);
  if (from.origin === ours?.origin) return true;
  if (from.host !== request.host) return false;
  // A proxy that is not trusted may hide that a page came by https. An unencrypted page of an encrypted site is forged.
  return from.protocol === 'https:' || (request.protocol === 'http' && from.host !== ours?.host);
}
