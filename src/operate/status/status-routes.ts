/** Health checks, metrics and status, for operators and their monitoring. */
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../core/errors.ts';
import { ANY_KEY } from '../../core/scopes.ts';
import { userRoute } from '../../http/api/route.ts';
import type { RouteDeps } from '../../http/api/route-deps.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { StatusSchema } from './status-schemas.ts';

export interface StatusRouteDeps {
  metrics: Metrics;
  /** Resolves when every store answers; rejects otherwise. */
  checkStores(): Promise<void>;
  /** What somebody should look at, though requests are answered. */
  problems(): Promise<string[]>;
  /** What `/_status` returns. */
  status(): Promise<Static<typeof StatusSchema>>;
  /** Throws unless the caller may read metrics and status. */
  requireAccess(request: FastifyRequest): Promise<void>;
  /** True once the process was asked to stop. */
  isStopping(): boolean;
}

/** For the console, whose users may come through a proxy that hides `/_status`. */
export function serverStatusRoute(app: FastifyInstance, deps: RouteDeps, { status }: StatusRouteDeps): void {
  userRoute(app, deps, {
    method: 'GET',
    url: '/api/server_status/',
    summary: 'State of the server: versions, stores, ingestion',
    tag: 'server',
    scope: ANY_KEY,
    limitsItself: true,
    response: StatusSchema,
    handler: () => status(),
  });
}

export function statusRoutes(app: FastifyInstance, deps: StatusRouteDeps): void {
  const hidden = { schema: { hide: true }, logLevel: 'warn' } as const;
  app.get('/_livez', hidden, async () => ({ status: 'ok' }));
  for (const path of ['/_readyz', '/_health']) {
    app.get(path, hidden, async (request, reply) => {
      if (deps.isStopping()) return reply.code(503).send({ status: 'stopping' });
      try {
        await deps.checkStores();
        const problems = await deps.problems();
        return problems.length === 0 ? { status: 'ok' } : { status: 'attention', problems };
      } catch (error) {
        request.log.error({ err: error }, 'not ready');
        const reason = error instanceof Failure ? { detail: error.message } : {};
        return reply.code(503).send({ status: 'unavailable', ...reason });
      }
    });
  }
  const restricted = { ...hidden, onRequest: deps.requireAccess } as const;
  app.get('/metrics', restricted, async (_request, reply) =>
    reply.type(deps.metrics.contentType).send(await deps.metrics.text()),
  );
  app.get('/_status', restricted, () => deps.status());
}
