import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Script } from './script.ts';

/** For URLs whose content never changes. */
export const CACHE_FOREVER = 'public, max-age=31536000, immutable';
/** For URLs whose content changes with an upgrade or a setting. */
export const CACHE_BRIEFLY = 'public, max-age=30';

export function sendScript(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzipped, etag }: Script,
  cacheControl: string,
): FastifyReply {
  reply.headers({
    etag,
    'cache-control': cacheControl,
    'content-type': 'application/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
    vary: request.headers.origin === undefined ? 'Accept-Encoding' : 'Origin, Accept-Encoding',
  });
  if (isNotModified(request, etag)) return reply.code(304).send();
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Whether the client has this version already. */
export const isNotModified = (request: FastifyRequest, etag: string): boolean =>
  (request.headers['if-none-match'] ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
