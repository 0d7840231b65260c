/** Questions that are asked tens of thousands of times a second: what happens around their answers is kept to the least. */
import type { FastifyInstance } from 'fastify';
import { chain, type MaybePromise } from '../../lib/maybe-async.ts';
import { sendError } from '../errors.ts';
import type { PublicRouteDeps } from './public-deps.ts';
import type { PublicRequest } from './read-request.ts';
import { sendJson } from './send-json.ts';

export interface FastRoute<D extends PublicRouteDeps = PublicRouteDeps> {
  path: string;
  /** For the OpenAPI document. */
  document: object;
  /** As JSON. */
  answer(deps: D, asked: PublicRequest): MaybePromise<string>;
}

/** The general way to the answer, by the web framework; `FastPath` is the short one. */
export function addFastRoute<D extends PublicRouteDeps>(
  app: FastifyInstance,
  deps: D,
  { path, document, answer }: FastRoute<D>,
): void {
  const { logAnswer } = deps;
  app.post(path, {
    schema: document,
    config: { tellsItself: true },
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
