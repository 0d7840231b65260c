/** Security headers for browsers. The hottest public routes have none: they contain no personal data. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Whether the request came by https, according to a trusted proxy or the public URL. */
export const isEncrypted = (request: FastifyRequest, publicUrl: string | null): boolean =>
  request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);

const ALWAYS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** For data: not to be shown as a page, framed, cached, or loaded by other sites. */
const DATA = {
  ...ALWAYS,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

const HSTS = 'max-age=31536000';

export function setDataHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string | null): void {
  reply.headers(DATA);
  if (isEncrypted(request, publicUrl)) reply.header('strict-transport-security', HSTS);
}

/** For the private API; a route may override them. */
export function dataHeaders(app: FastifyInstance, publicUrl: string | null): void {
  app.addHook('onRequest', (request, reply, done) => {
    setDataHeaders(request, reply, publicUrl);
    done();
  });
}

/** For pages, which have their own policies. */
export function pageHeaders(app: FastifyInstance, publicUrl: string | null): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(ALWAYS);
    if (isEncrypted(request, publicUrl)) reply.header('strict-transport-security', HSTS);
    done();
  });
}
