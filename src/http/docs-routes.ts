/** The OpenAPI document as JSON; the console has a page to read it, at /docs. */
import type { FastifyInstance } from 'fastify';
import { acceptsEncoding, gzipText } from './compression.ts';

export function docsRoutes(app: FastifyInstance): void {
  let document: Promise<{ plain: string; gzipped: Buffer }> | undefined;
  app.get('/api/schema/', { schema: { hide: true } }, async (request, reply) => {
    // Made once: it takes some 20 ms, and never changes.
    document ??= serialize(app);
    const { plain, gzipped } = await document;
    reply.headers({ 'content-type': 'application/json; charset=utf-8', vary: 'Accept-Encoding' });
    if (!acceptsEncoding(request, 'gzip')) return reply.send(plain);
    return reply.header('content-encoding', 'gzip').send(gzipped);
  });
}

async function serialize(app: FastifyInstance): Promise<{ plain: string; gzipped: Buffer }> {
  const plain = JSON.stringify(app.swagger());
  return { plain, gzipped: await gzipText(plain) };
}
