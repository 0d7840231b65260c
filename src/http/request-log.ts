/** Every response is measured for the metrics and logged. */
import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler, RouteOptions } from 'fastify';
import type { Logger } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { isHead } from './head-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route calls `LogAnswer` itself. */
    logsItself?: boolean;
  }
}

/** `route` is looked up unless given, which is slow: the framework copies all options of the route. */
export type LogAnswer = (request: FastifyRequest, reply: FastifyReply, route?: string) => void;

/** The line has the request id, as the lines of errors have. */
export const requestLogger =
  ({ metrics, log }: { metrics: Metrics; log: Logger }): LogAnswer =>
  (request, reply, route = request.routeOptions.url ?? 'unknown') => {
    const ms = reply.elapsedTime;
    const { url } = request;
    const method = isHead(request.raw) ? 'HEAD' : request.method;
    metrics.requestTimes.observe(method, route, reply.statusCode, ms / 1000);
    const level = url.startsWith('/api/') ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    request.log[level]({ req: { method, url, ip: request.ip }, res: reply, ms: Math.round(ms * 10) / 10 }, 'request');
  };

/**
 * Logs the responses of all routes but those that do it themselves: an `onResponse` hook costs the hottest routes a
 * twentieth of their time.
 */
export function logRequests(app: FastifyInstance, tell: LogAnswer): void {
  const hook: onResponseHookHandler = (request, reply, done) => {
    tell(request, reply);
    done();
  };
  app.addHook('onRoute', (route: RouteOptions) => {
    const hooks = [route.onResponse ?? []].flat();
    if (route.config?.logsItself || hooks.includes(hook)) return;
    route.onResponse = [...hooks, hook];
  });
}
