/** What answers tell browsers not to do with them. The busiest public routes do without: they say nothing of anybody. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Whether the caller came by https, as a trusted proxy says or as the public address does. */
export const isEncrypted = (request: FastifyRequest, publicUrl: string | null): boolean =>
  request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);

const ALWAYS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** Data, never a page: not to be shown as one, framed, kept by caches, or loaded by other sites. */
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

/** For every route of the private API. A route that says otherwise afterwards is heard. */
export function dataHeaders(app: FastifyInstance, publicUrl: string | null): void {
  app.addHook('onRequest', (request, reply, done) => {
    setDataHeaders(request, reply, publicUrl);
    done();
  });
}

/** For pages, which have policies of their own. */
export function pageHeaders(app: FastifyInstance, publicUrl: string | null): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(ALWAYS);
    if (isEncrypted(request, publicUrl)) reply.header('strict-transport-security', HSTS);
    done();
  });
}
