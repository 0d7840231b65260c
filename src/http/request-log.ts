/** What is told of every answer: how long it took, for the metrics, and a line in the log. */
import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler, RouteOptions } from 'fastify';
import type { Logger } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route tells of its answers itself, at the moment when it gives them. */
    tellsItself?: boolean;
  }
}

/** The route is taken from the request unless it is given: to ask for it, the framework copies all that it knows of it. */
export type LogAnswer = (request: FastifyRequest, reply: FastifyReply, route?: string) => void;

/** One line for each answer, with the request id that an error's log line carries too. */
export const requestLogger =
  ({ metrics, log }: { metrics: Metrics; log: Logger }): LogAnswer =>
  (request, reply, route = request.routeOptions.url ?? 'unknown') => {
    const ms = reply.elapsedTime;
    const { method, url } = request;
    metrics.requestTimes.observe(method, route, reply.statusCode, ms / 1000);
    const level = url.startsWith('/api/') ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    request.log[level]({ req: request, res: reply, ms: Math.round(ms * 10) / 10 }, 'request');
  };

/**
 * After each answer of every route, but those that tell themselves: to be called after an answer, the framework must
 * listen to it, which costs the busiest routes a twentieth of their time.
 */
export function logRequests(app: FastifyInstance, tell: LogAnswer): void {
  const hook: onResponseHookHandler = (request, reply, done) => {
    tell(request, reply);
    done();
  };
  app.addHook('onRoute', (route: RouteOptions) => {
    const hooks = [route.onResponse ?? []].flat();
    if (route.config?.tellsItself || hooks.includes(hook)) return;
    route.onResponse = [...hooks, hook];
  });
}
