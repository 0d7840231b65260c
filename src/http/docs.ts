/** The OpenAPI document as JSON, and a page to read it. */
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

export async function docsRoutes(app: FastifyInstance): Promise<void> {
  app.get('/api/schema/', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', deepLinking: true },
    staticCSP: true,
    theme: { title: 'Cairn API' },
  });
}
