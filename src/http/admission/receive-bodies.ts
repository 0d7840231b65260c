import type { FastifyInstance, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import type { Admission } from './admission.ts';

const bodies = new WeakMap<FastifyRequest, Buffer>();

/**
 * Bodies of the routes of `app` are received by `admission`, up to the route's `bodyLimit` or else `maxBytes`. In a hook
 * and not in a parser, because the framework closes the connection when a parser fails.
 */
export function receiveBodies(app: FastifyInstance, admission: Admission, maxBytes: number): void {
  app.addHook('onRoute', (route) => {
    const limit = route.bodyLimit ?? maxBytes;
    const receive: preParsingAsyncHookHandler = async (request, reply, payload) => {
      // A HEAD route has the hooks of its GET route as well.
      if (hasBody(request) && !bodies.has(request)) {
        bodies.set(request, await admission.receive(request.raw, reply.raw, limit));
      }
      return payload;
    };
    route.preParsing = [...[route.preParsing ?? []].flat(), receive];
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const NO_BODY = Buffer.alloc(0);

/** For parsers of content types. */
export const receivedBody = (request: FastifyRequest): Buffer => bodies.get(request) ?? NO_BODY;
