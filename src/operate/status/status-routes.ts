/** Health checks, metrics and status, for operators and their monitoring. */
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../lib/metrics.ts';
import type { StatusSchema } from './status-schemas.ts';

export interface StatusRouteDeps {
  metrics: Metrics;
  /** Resolves when every store answers; rejects otherwise. */
  checkStores(): Promise<void>;
  /** What `/_status` returns. */
  status(): Promise<Static<typeof StatusSchema>>;
  /** True once the process was asked to stop. */
  isStopping(): boolean;
}

export function statusRoutes(app: FastifyInstance, deps: StatusRouteDeps): void {
  const hidden = { schema: { hide: true }, logLevel: 'warn' } as const;
  app.get('/_livez', hidden, async () => ({ status: 'ok' }));
  for (const path of ['/_readyz', '/_health']) {
    app.get(path, hidden, async (request, reply) => {
      if (deps.isStopping()) return reply.code(503).send({ status: 'stopping' });
      try {
        await deps.checkStores();
        return { status: 'ok' };
      } catch (error) {
        request.log.error({ err: error }, 'not ready');
        return reply.code(503).send({ status: 'unavailable' });
      }
    });
  }
  app.get('/metrics', hidden, async (_request, reply) =>
    reply.type(deps.metrics.contentType).send(await deps.metrics.text()),
  );
  app.get('/_status', hidden, () => deps.status());
}
