/**
 * The house's front: one Fastify server with every door in it.
 * What comes in: requests. What goes out: answers, all errors through `errors.ts`. It keeps nothing.
 */
import type { RequestListener } from 'node:http';
import swagger from '@fastify/swagger';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { Failure, notFound } from '../core/errors.ts';
import { DECIDE_ROUTE } from '../features/flags/public/decide-routes.ts';
import { FLAGS_ROUTE } from '../features/flags/public/flags-routes.ts';
import { callerFromBody, callerFromHeaders } from '../http/api/authenticate.ts';
import { addBodyParsers } from '../http/body-parsers.ts';
import { consoleRoutes } from '../http/console-routes.ts';
import { docsRoutes } from '../http/docs-routes.ts';
import { sendError } from '../http/errors.ts';
import { KnownRoutes } from '../http/known-routes.ts';
import { lazyLog } from '../http/lazy-log.ts';
import { OPENAPI } from '../http/openapi.ts';
import { FastPath } from '../http/public/fast-path.ts';
import { type LogAnswer, logRequests, requestLogger } from '../http/request-log.ts';
import { dataHeaders, pageHeaders, setDataHeaders } from '../http/security-headers.ts';
import { readValue } from '../http/validate.ts';
import type { Logger } from '../lib/log.ts';
import { type StatusRouteDeps, statusRoutes } from '../operate/status/status-routes.ts';
import { type ApiDeps, apiRoutes } from './api-routes.ts';
import { type PublicDeps, publicRoutes } from './public-routes.ts';

export type ServerDeps = ApiDeps &
  Omit<PublicDeps, 'logAnswer'> &
  StatusRouteDeps & { log: Logger; consoleFolder: string };

interface ServerOptions {
  trustProxy: boolean | number | string;
  maxBodyBytes: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    knownRoutes: KnownRoutes;
  }
}

/** The front of a node that takes no requests of users: it can be watched, and nothing else. */
export function buildMonitoringServer(deps: StatusRouteDeps & Pick<ServerDeps, 'log' | 'ids'>, options: ServerOptions) {
  const app = newServer(deps, options);
  app.setNotFoundHandler(() => {
    throw notFound('This node processes events (ROLE=worker); requests are answered by web nodes.');
  });
  statusRoutes(app, deps);
  return app;
}

function newServer(deps: Pick<ServerDeps, 'log' | 'ids'>, options: ServerOptions): FastifyInstance {
  const { trustProxy } = options;
  const app: FastifyInstance = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    genReqId: () => deps.ids.uuid(),
    childLoggerFactory: (log, bindings, options) => lazyLog(log, bindings, options),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit: options.maxBodyBytes,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    // Bad escapes in a path never reach a route; they get our kind of answer all the same.
    frameworkErrors: (error, request, reply) => void sendError(error, request as FastifyRequest, reply as FastifyReply),
  });
  app.setErrorHandler(sendError);
  closeIdleConnectionsOnStop(app);
  return app;
}

export async function buildServer(deps: ServerDeps, options: ServerOptions): Promise<FastifyInstance> {
  const app = newServer(deps, options);
  app.setValidatorCompiler(({ schema, httpPart }) =>
    // No body at all (null, says the framework) is an empty one, so that the first field that is missing is named.
    httpPart === 'body' ? (body) => ({ value: readValue(schema as never, body ?? {}) }) : () => true,
  );
  // Answers are written as they are: their schemas are for the document and for the tests that hold answers to it.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  decorateRequests(app);
  const logAnswer = requestLogger(deps);
  logRequests(app, logAnswer);
  const known = recordRoutes(app);
  app.decorate('knownRoutes', known);
  await app.register(swagger, { openapi: OPENAPI });
  const { publicUrl } = deps.config;
  await app.register((api, _options, done) => {
    dataHeaders(api, publicUrl);
    addBodyParsers(api);
    rejectReservedNames(api, deps, known);
    apiRoutes(api, deps);
    done();
  });
  await app.register((open, _options, done) => {
    publicRoutes(open, { ...deps, logAnswer });
    done();
  });
  installFastPath(
    app,
    new FastPath<ServerDeps & { logAnswer: LogAnswer }>({ ...deps, logAnswer }, [DECIDE_ROUTE, FLAGS_ROUTE]),
  );
  handleUnknownPaths(app, deps, known, logAnswer);
  await app.register((watched, _options, done) => {
    dataHeaders(watched, publicUrl);
    statusRoutes(watched, deps);
    done();
  });
  await app.register(consolePages(deps.consoleFolder, publicUrl));
  return app;
}

/**
 * A stopping server closes the connections that are idle then; those whose last request ends a moment later would be
 * kept for another minute, in case there is a next one.
 */
function closeIdleConnectionsOnStop(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(timer));
  });
}

/** Everything that comes in passes it first. */
function installFastPath(app: FastifyInstance, door: Pick<FastPath<never>, 'wrap' | 'close'>): void {
  const { server } = app;
  const usual = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  for (const listener of usual) server.on('request', door.wrap(listener));
  app.addHook('preClose', async () => door.close());
}

function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('project', null);
  app.decorateRequest('organization', null);
}

function recordRoutes(app: FastifyInstance): KnownRoutes {
  const known = new KnownRoutes();
  app.addHook('onRoute', ({ url, method }) => known.add(url, method));
  return known;
}

const notAllowed = (request: FastifyRequest): Failure =>
  new Failure('method_not_allowed', `Method "${request.method}" not allowed.`);

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** `PATCH /a/activity/` is no change of something called 'activity', but a method that the list does not take. */
function rejectReservedNames(app: FastifyInstance, deps: ServerDeps, known: KnownRoutes): void {
  app.addHook('onRequest', async (request) => {
    const { url = '' } = request.routeOptions;
    if (!url.startsWith('/api/') || !url.includes(':')) return;
    if (known.hasMoreSpecific(url, pathOf(request)) && (await callerFromHeaders(deps, request)))
      throw notAllowed(request);
  });
}

/** Before the body is read wherever that is possible: what is wrong with it does not matter to a path that is none. */
function handleUnknownPaths(app: FastifyInstance, deps: ServerDeps, known: KnownRoutes, logAnswer: LogAnswer): void {
  const refuse = async (request: FastifyRequest): Promise<void> => {
    const path = pathOf(request);
    if (known.methodsFor(path).size === 0) throw notFound('Endpoint not found.');
    // Which methods a private path takes is told only to those who may ask.
    if (!path.startsWith('/api/') || (await callerFromHeaders(deps, request))) throw notAllowed(request);
  };
  // It runs before every route: those that are found must not wait for a promise.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    setDataHeaders(request, reply, deps.config.publicUrl);
    reply.raw.once('finish', () => logAnswer(request, reply));
    refuse(request).then(() => done(), done);
  });
  app.setNotFoundHandler(async (request: FastifyRequest, _reply: FastifyReply) => {
    await callerFromBody(deps, request);
    throw notAllowed(request);
  });
}

/** What people open in a browser. */
const consolePages =
  (folder: string, publicUrl: string | null): FastifyPluginAsync =>
  async (pages) => {
    pageHeaders(pages, publicUrl);
    consoleRoutes(pages, { folder, publicUrl });
    await docsRoutes(pages);
  };
