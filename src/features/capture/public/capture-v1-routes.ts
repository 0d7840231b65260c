/** The V1 capture protocol: the key and the client's clock in headers, an answer for each event. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { sendError } from '../../../http/errors.ts';
import { readV1Batch, toV1Error, type V1Result } from '../v1/read-v1-batch.ts';
import { V1Error } from '../v1/v1-error.ts';
import { readV1Headers } from '../v1/v1-headers.ts';
import { accept } from './accept.ts';
import type { CaptureDeps } from './deps.ts';

const PATH = '/i/v1/analytics/events';

export function captureV1Routes(app: FastifyInstance, deps: CaptureDeps): void {
  app.route({
    method: 'POST',
    url: PATH,
    schema: { hide: true },
    errorHandler: sendV1Error,
    handler: (request, reply) => captureV1(deps, request, reply),
  });
  app.options(PATH, { schema: { hide: true } }, async () => ({ status: 1 }));
}

async function captureV1(deps: CaptureDeps, request: FastifyRequest, reply: FastifyReply) {
  const headers = readV1Headers(request.headers);
  reply.header('posthog-request-id', headers.requestId);
  const { results } = await accept(deps, request, {
    encodings: 'v1',
    sender: { key: headers.token },
    read: ({ payload }, parse) => ({
      key: headers.token,
      readEvents: async () => {
        const { body } = await parse(payload);
        const { events, results, historicalMigration } = await readV1Batch(body, headers);
        return { events, results, sentAt: headers.sentAt, historical: historicalMigration };
      },
    }),
  });
  return { results: results satisfies Record<string, V1Result> };
}

/** V1 has its own error bodies; unexpected errors are answered as everywhere. */
function sendV1Error(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof V1Error) void reply.code(error.status).send(error.body);
  else if (error instanceof Failure) sendV1Error(withRetry(error, reply), request, reply);
  else void sendError(error, request, reply);
}

function withRetry(failure: Failure, reply: FastifyReply): V1Error {
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  return toV1Error(failure);
}
