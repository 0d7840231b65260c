import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearSessionCookies, sessionCookie } from '../../../http/api/session-cookie.ts';
import type { AccountRouteDeps } from './deps.ts';

/** Where a sign-in by the provider begins. */
export const OIDC_START = '/login/oidc/';

/** Ends the session of the browser. Where people sign out of the provider, too; null: nowhere. */
export async function signOut(
  deps: AccountRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | null> {
  const { publicUrl } = deps.config;
  const cookie = sessionCookie(request, publicUrl);
  reply.header('set-cookie', clearSessionCookies(request, publicUrl));
  if (cookie === undefined) return null;
  if (deps.sso) return deps.sso.signOut(cookie);
  await deps.sessions.signOut(cookie);
  return null;
}
