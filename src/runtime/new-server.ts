/** Servers without routes, and how requests of SDKs are read: what a server and a relay have in common. */
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Config } from '../config.ts';
import type { Admission } from '../http/admission/admission.ts';
import { receiveBodies, receivedBody } from '../http/admission/receive-bodies.ts';
import { refuseConnection, sendError } from '../http/errors.ts';
import { routeHeadAsGet } from '../http/head-requests.ts';
import { lazyLog } from '../http/lazy-log.ts';
import { addCors } from '../http/public/cors.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';

/** Code units: a flag key has up to 400 characters, each with one or two of them. */
const MAX_PARAM_LENGTH = 1000;

/** All routes have compilers of ours; otherwise the framework would load its own, two libraries, all the same. */
const notCompiled = () => () => {
  throw new Error('A route has a schema, and the server no compiler for it.');
};
const NO_COMPILERS = { buildValidator: notCompiled, buildSerializer: notCompiled };

/** A server without routes. */
export function newServer(
  deps: { log: Logger; ids: Ids },
  options: Pick<Config, 'trustProxy' | 'requestTimeoutSeconds'>,
): FastifyInstance {
  const { trustProxy } = options;
  const app: FastifyInstance = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    genReqId: () => deps.ids.uuid(),
    childLoggerFactory: (log, bindings, options) => lazyLog(log, bindings, options),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    requestTimeout: options.requestTimeoutSeconds * 1000,
    http: { connectionsCheckingInterval: 1000 },
    clientErrorHandler: refuseConnection,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    rewriteUrl: routeHeadAsGet,
    schemaController: { compilersFactory: NO_COMPILERS },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    // Bad escapes in a path never reach a route; they are answered like other errors.
    frameworkErrors: (error, request, reply) => void sendError(error, request as FastifyRequest, reply as FastifyReply),
  });
  app.setErrorHandler(sendError);
  ignoreBodies(app);
  // Node would otherwise take the larger of the two for the whole request.
  app.server.headersTimeout = Math.min(app.server.headersTimeout, app.server.requestTimeout);
  closeIdleConnectionsOnStop(app);
  return app;
}

const COMMON_CONTENT_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

/** Bodies stay bytes: the decoder finds out what they are. */
export function takePublicBodies(
  api: FastifyInstance,
  { admission, config }: { admission: Admission; config: Pick<Config, 'maxBodyBytes'> },
): void {
  receiveBodies(api, admission, config.maxBodyBytes);
  api.removeAllContentTypeParsers();
  // The common types by name, because the framework searches for the others at each request.
  api.addContentTypeParser([...COMMON_CONTENT_TYPES, '*'], (request, _payload, done) =>
    done(null, receivedBody(request)),
  );
  // The decoder checks bodies; schemas are for the API document alone.
  api.setValidatorCompiler(() => () => true);
  addCors(api);
}

/** Where no route takes a body, none is parsed. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** The framework closes idle connections once; those that become idle while it stops would be kept for a minute. */
function closeIdleConnectionsOnStop(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(timer));
  });
}
