/** Answers requests to paths that are no route: 404, or 405 where the path exists with another method. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, notFound } from '../core/errors.ts';
import { callerFromBody, callerFromHeaders } from '../http/api/authenticate.ts';
import type { KnownRoutes } from '../http/known-routes.ts';
import { setDataHeaders } from '../http/security-headers.ts';
import type { AppDeps } from './app-deps.ts';

const notAllowed = (request: FastifyRequest): Failure =>
  new Failure('method_not_allowed', `Method "${request.method}" not allowed.`);

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** `PATCH /a/activity/` does not change an object called 'activity': it is a method that the list does not allow. */
export function rejectReservedNames(app: FastifyInstance, deps: AppDeps, known: KnownRoutes): void {
  app.addHook('onRequest', async (request) => {
    const { url = '' } = request.routeOptions;
    if (!url.startsWith('/api/') || !url.includes(':')) return;
    if (known.hasMoreSpecific(url, pathOf(request)) && (await callerFromHeaders(deps, request)))
      throw notAllowed(request);
  });
}

/** Answers before the body is read wherever possible: an error in the body does not matter then. */
export function handleUnknownPaths(app: FastifyInstance, deps: AppDeps, known: KnownRoutes): void {
  const refuse = async (request: FastifyRequest): Promise<void> => {
    const path = pathOf(request);
    if (known.methodsFor(path).size === 0) throw notFound('Endpoint not found.');
    // Only those who are signed in learn which methods a private path allows.
    if (!path.startsWith('/api/') || (await callerFromHeaders(deps, request))) throw notAllowed(request);
  };
  // This runs before every route: known ones must not wait for a promise.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    setDataHeaders(request, reply, deps.config.publicUrl);
    reply.raw.once('finish', () => deps.logAnswer(request, reply));
    refuse(request).then(() => done(), done);
  });
  app.setNotFoundHandler(async (request: FastifyRequest, _reply: FastifyReply) => {
    await callerFromBody(deps, request);
    throw notAllowed(request);
  });
}
