/** Routes that are called tens of thousands of times a second, with as little around them as possible. */
import type { FastifyInstance } from 'fastify';
import { chain, type MaybePromise } from '../../lib/maybe-async.ts';
import { sendError } from '../errors.ts';
import type { QueryValues } from './decode/decode-request.ts';
import type { PublicRouteDeps } from './public-deps.ts';
import type { PublicRequest } from './read-request.ts';
import { sendJson } from './send-json.ts';

export interface FastRoute<D extends PublicRouteDeps = PublicRouteDeps> {
  path: string;
  /** For the OpenAPI document. */
  document: object;
  /** Larger bodies go to the web framework; default: those of flags. */
  maxBytes?(config: D['config']): number;
  /** Whether a request with this query is answered with 200 and JSON; others go to the web framework. Default: all are. */
  takes?(query: QueryValues): boolean;
  /** As JSON. */
  answer(deps: D, request: PublicRequest): MaybePromise<string>;
}

/** Registers the route with the web framework; `FastPath` answers most of its requests before. */
export function addFastRoute<D extends PublicRouteDeps>(
  app: FastifyInstance,
  deps: D,
  { path, document, answer }: FastRoute<D>,
): void {
  const { logAnswer } = deps;
  app.post(path, {
    bodyLimit: deps.config.maxFlagsBodyBytes,
    schema: document,
    config: { logsItself: true },
    errorHandler: (error, request, reply) => {
      void sendError(error, request, reply);
      logAnswer(request, reply);
    },
    handler: (request, reply) =>
      chain(answer(deps, request), (text) => {
        sendJson(reply, text);
        logAnswer(request, reply, path);
      }),
  });
}
