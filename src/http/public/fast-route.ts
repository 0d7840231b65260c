/** Questions that are asked tens of thousands of times a second: what happens around their answers is kept to the least. */
import type { FastifyInstance } from 'fastify';
import { after, type Eventually } from '../../lib/maybe-async.ts';
import { sendError } from '../errors.ts';
import type { PublicDeps } from './public-deps.ts';
import type { Asked } from './read-request.ts';
import { sendJson } from './send-json.ts';

export interface Question<D extends PublicDeps = PublicDeps> {
  path: string;
  /** For the OpenAPI document. */
  document: object;
  /** As JSON. */
  answer(deps: D, asked: Asked): Eventually<string>;
}

/** The general way to the answer, by the web framework; `QuickDoor` is the short one. */
export function answerQuickly<D extends PublicDeps>(
  app: FastifyInstance,
  deps: D,
  { path, document, answer }: Question<D>,
): void {
  const { tell } = deps;
  app.post(path, {
    schema: document,
    config: { tellsItself: true },
    errorHandler: (error, request, reply) => {
      void sendError(error, request, reply);
      tell(request, reply);
    },
    handler: (request, reply) =>
      after(answer(deps, request), (text) => {
        sendJson(reply, text);
        tell(request, reply, path);
      }),
  });
}
