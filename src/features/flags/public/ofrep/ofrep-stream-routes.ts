/** `/ofrep/v1/stream`: tells OpenFeature's providers when to ask for their values again (OFREP's ADR 0008). */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../../core/errors.ts';
import { queryValues } from '../../../../http/public/read-request.ts';
import { ErrorSchema } from '../../../../http/schemas/errors.ts';
import { lastEventId, STREAM_HEADERS } from '../../../../http/server-sent-events.ts';
import { takeSocket } from '../../../../http/take-socket.ts';
import { networkOf } from '../../../../lib/network.ts';
import type { FlagPublicDeps } from '../deps.ts';

const PATH = '/ofrep/v1/stream';

export function ofrepStreamRoutes(app: FastifyInstance, deps: FlagPublicDeps): void {
  app.get(PATH, { schema: DOCUMENT }, (request, reply) => open(deps, request, reply));
  app.options(PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply.code(204).header('allow', 'GET, OPTIONS').send(),
  );
}

async function open(
  { flagStreams, channelTokens, clock }: FlagPublicDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const channel = await channelTokens.open(queryValues(request).get('channel') ?? '');
  if (channel === null) {
    throw new Failure('unauthenticated', 'The channel is invalid: take it from the answer with all flags.', {
      code: 'invalid_channel',
    });
  }
  if (channel.expiresAt <= clock.now()) {
    throw new Failure('unauthenticated', 'The channel is a day old: ask for all flags again.', {
      code: 'expired_channel',
    });
  }
  const { projectId, expiresAt: endsAt } = channel;
  const version = lastEventId(request) ?? channel.version;
  const state = await flagStreams.state(projectId, version);
  const network = networkOf(request.ip);
  const credential = { id: 'channel', isValid: async () => true };
  // Nothing is waited for from here on.
  flagStreams.requireRoom({ projectId, network, credential });
  const taken = takeSocket(reply, STREAM_HEADERS);
  if (taken === null) return;
  flagStreams.open(taken.socket, taken.head, { projectId, kind: 'ofrep', credential, network, version, endsAt }, state);
}

const DOCUMENT = {
  summary: 'When to ask for the values of flags again, as server-sent events (OFREP)',
  tags: ['flags'],
  security: [],
  querystring: {
    type: 'object',
    properties: { channel: { type: 'string', description: 'From `eventStreams` of the answer with all flags.' } },
  },
  response: {
    200: Type.String({ description: 'A stream of `text/event-stream`: `message` with every change of definitions.' }),
    401: ErrorSchema,
    429: ErrorSchema,
    503: ErrorSchema,
  },
};
