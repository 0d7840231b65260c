/**
 * Answers requests to paths that are no route: 404, or 405 where the path exists with another method. Where a browser asks
 * for a page, the answer is the console, which says that there is none and how to go on.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, notFound } from '../core/errors.ts';
import { callerFromBody, callerFromHeaders } from '../http/api/authenticate.ts';
import type { SendConsolePage } from '../http/console-routes.ts';
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

/** Whether a person follows a link or types an address; scripts and SDKs do not ask for HTML. */
const isPageVisit = ({ method, headers }: FastifyRequest, path: string): boolean =>
  method === 'GET' && !path.startsWith('/api/') && (headers.accept?.includes('text/html') ?? false);

/** Answers before the body is read wherever possible: an error in the body does not matter then. */
export function handleUnknownPaths(
  app: FastifyInstance,
  deps: AppDeps,
  known: KnownRoutes,
  sendPage: SendConsolePage,
): void {
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
    const path = pathOf(request);
    if (isPageVisit(request, path) && known.methodsFor(path).size === 0) {
      sendPage(request, reply.code(404)).catch(done);
      return;
    }
    refuse(request).then(() => done(), done);
  });
  app.setNotFoundHandler(async (request: FastifyRequest, _reply: FastifyReply) => {
    await callerFromBody(deps, request);
    throw notAllowed(request);
  });
}
