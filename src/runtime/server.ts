/** One Fastify server with the routes of all features. Errors of every route are answered by `http/errors.ts`. */
import type { RequestListener } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Config } from '../config.ts';
import { notFound } from '../core/errors.ts';
import { stringifyExact } from '../core/json/exact-json.ts';
import { discardRestAfterResponse } from '../http/admission/discard-rest.ts';
import { receiveBodies } from '../http/admission/receive-bodies.ts';
import { addBodyParsers } from '../http/body-parsers.ts';
import { compressAnswers } from '../http/compression.ts';
import { consolePage, consoleRoutes, type SendConsolePage } from '../http/console-routes.ts';
import { docsRoutes } from '../http/docs-routes.ts';
import { KnownRoutes } from '../http/known-routes.ts';
import { OPENAPI, withResponse } from '../http/openapi.ts';
import { FastPath } from '../http/public/fast-path.ts';
import { logRequests } from '../http/request-log.ts';
import { dataHeaders, pageHeaders } from '../http/security-headers.ts';
import { readValue } from '../http/validate.ts';
import { type StatusRouteDeps, serverStatusRoute, statusRoutes } from '../operate/status/status-routes.ts';
import type { AppDeps } from './app-deps.ts';
import type { AppFeature } from './features.ts';
import { newServer, takePublicBodies } from './new-server.ts';
import { handleUnknownPaths, rejectReservedNames } from './unknown-paths.ts';

interface ServerOptions extends Pick<Config, 'trustProxy' | 'maxBodyBytes' | 'publicUrl' | 'requestTimeoutSeconds'> {
  consoleFolder: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    knownRoutes: KnownRoutes;
  }
}

/** The server of a node that takes no requests of users. */
export function buildMonitoringServer(deps: AppDeps, status: StatusRouteDeps, options: ServerOptions): FastifyInstance {
  const app = newServer(deps, options);
  app.setNotFoundHandler(() => {
    throw notFound('This node processes events (ROLE=worker); requests are answered by web nodes.');
  });
  statusRoutes(app, status);
  return app;
}

/** How much of a refused body is read, and for how long, for its sender to see the answer. */
const MAX_DISCARDED = { maxBytes: 100 * 1024 * 1024, maxMs: 10_000 };

export async function buildServer(
  deps: AppDeps,
  features: readonly AppFeature[],
  status: StatusRouteDeps,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const app = newServer(deps, options);
  setCompilers(app);
  decorateRequests(app);
  logRequests(app, deps.logAnswer);
  const known = recordRoutes(app);
  await app.register(swagger, { openapi: OPENAPI, transform: withResponse });
  await app.register(scope((api) => privateRoutes(api, deps, features, known, status)));
  await app.register(scope((api) => publicRoutes(api, deps, features)));
  const fastRoutes = features.flatMap((feature) => feature.fastRoutes ?? []);
  installFastPath(app, new FastPath<AppDeps>(deps, fastRoutes));
  discardRestAfterResponse(app.server, deps.admission.turns, MAX_DISCARDED);
  const sendPage = consolePage({ folder: options.consoleFolder, publicUrl: options.publicUrl });
  handleUnknownPaths(app, deps, known, sendPage);
  await app.register(
    scope((api) => {
      dataHeaders(api, options.publicUrl);
      statusRoutes(api, status);
    }),
  );
  await app.register(scope((pages) => pageRoutes(pages, deps, features, options, sendPage)));
  return app;
}

/** Routes with hooks and parsers of their own. */
const scope =
  (addRoutes: (app: FastifyInstance) => void): FastifyPluginCallback =>
  (app, _options, done) => {
    addRoutes(app);
    done();
  };

function setCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    // No body at all (null, says the framework) counts as an empty one, so that the first missing field is named.
    httpPart === 'body' ? (body) => ({ value: readValue(schema as never, body ?? {}) }) : () => true,
  );
  // Response schemas are for the API document, and for the tests that compare answers with it.
  app.setReplySerializer((answer) => stringifyExact(answer));
  app.setSerializerCompiler(() => (answer) => stringifyExact(answer));
}

/** For the console and for scripts, with a session or a personal key. */
function privateRoutes(
  api: FastifyInstance,
  deps: AppDeps,
  features: readonly AppFeature[],
  known: KnownRoutes,
  status: StatusRouteDeps,
): void {
  dataHeaders(api, deps.config.publicUrl);
  compressAnswers(api);
  receiveBodies(api, deps.admission, deps.config.maxApiBodyBytes);
  addBodyParsers(api, deps.admission);
  rejectReservedNames(api, deps, known);
  for (const feature of features) feature.api?.(api, deps);
  serverStatusRoute(api, deps, status);
}

/** For SDKs, with a project key. Bodies stay bytes: the decoder finds out what they are. */
function publicRoutes(api: FastifyInstance, deps: AppDeps, features: readonly AppFeature[]): void {
  takePublicBodies(api, deps);
  for (const feature of features) feature.public?.(api, deps);
}

/** Puts it in front of the framework: it sees every request first. */
function installFastPath(app: FastifyInstance, fastPath: Pick<FastPath<never>, 'wrap' | 'close'>): void {
  const { server } = app;
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  for (const listener of listeners) server.on('request', fastPath.wrap(listener));
  app.addHook('preClose', async () => fastPath.close());
}

function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('project', null);
  app.decorateRequest('organization', null);
}

function recordRoutes(app: FastifyInstance): KnownRoutes {
  const known = new KnownRoutes();
  app.addHook('onRoute', ({ url, method }) => known.add(url, method));
  app.decorate('knownRoutes', known);
  return known;
}

/** What people open in a browser. */
function pageRoutes(
  pages: FastifyInstance,
  deps: AppDeps,
  features: readonly AppFeature[],
  { consoleFolder, publicUrl }: ServerOptions,
  sendPage: SendConsolePage,
): void {
  pageHeaders(pages, publicUrl);
  consoleRoutes(pages, consoleFolder, sendPage);
  docsRoutes(pages);
  for (const feature of features) feature.pages?.(pages, deps, sendPage);
}
