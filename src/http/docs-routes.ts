/** The OpenAPI document as JSON, and a page to read it. */
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/**
 * Only our own scripts; the page has inline styles. Not the plugin's policy, which sends browsers to https: a server may
 * have none.
 */
const CONTENT_SECURITY_POLICY = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'base-uri': ["'self'"],
  'frame-ancestors': ["'self'"],
};

export async function docsRoutes(app: FastifyInstance): Promise<void> {
  app.get('/api/schema/', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', deepLinking: true },
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Cairn API' },
  });
}
