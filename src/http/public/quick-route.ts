/** Routes that are asked tens of thousands of times a second: what happens around an answer is kept to the least. */
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { sendError } from '../errors.ts';
import type { PublicDeps } from './deps.ts';
import { sendJson } from './send-json.ts';

export const quickRoute = ({ tell }: PublicDeps, schema: object): RouteShorthandOptions => ({
  schema,
  config: { tellsItself: true },
  errorHandler: (error, request, reply) => {
    void sendError(error, request, reply);
    tell(request, reply);
  },
});

export function sendQuickly(
  { tell }: PublicDeps,
  route: string,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): void {
  sendJson(reply, text);
  tell(request, reply, route);
}
