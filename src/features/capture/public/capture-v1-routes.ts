/** The V1 capture protocol: the key and the client's clock in headers, an answer for each event. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { changedSubjects } from '../../../core/events/changed-subjects.ts';
import { sendError } from '../../../http/errors.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { callerAddress, decode } from '../../../http/public/read-request.ts';
import { serializeRequestContext } from '../../../ingest/accept/request-context.ts';
import { serializeEvents } from '../../../ingest/accept/serialize-events.ts';
import { readV1Batch, toV1Error, type V1Result } from '../v1/read-v1-batch.ts';
import { V1Error } from '../v1/v1-error.ts';
import { readV1Headers } from '../v1/v1-headers.ts';
import { acceptEntry } from './accept-entry.ts';
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
  const receivedAt = deps.clock.now();
  const headers = readV1Headers(request.headers);
  reply.header('posthog-request-id', headers.requestId);
  const { payload } = await decode(request, deps.config.maxBodyBytes, 'v1');
  const project = await deps.directory.getProject(headers.token, undefined);
  const { events, results, historicalMigration } = await readV1Batch(await parseBody(payload), headers);
  if (events.length > 0) {
    const entry = {
      projectId: project.id,
      receivedAt,
      events: events.length,
      context: serializeRequestContext({
        ip: callerAddress(request),
        sentAt: headers.sentAt,
        engage: false,
        historical: historicalMigration,
      }),
      seed: deps.ids.seed(),
      payload: await serializeEvents(events),
    };
    await acceptEntry(deps, entry, changedSubjects(events, false), events);
  }
  return { results: results satisfies Record<string, V1Result> };
}

/** V1 has its own words for what is wrong; faults of ours go the usual way. */
function sendV1Error(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof V1Error) void reply.code(error.status).send(error.body);
  else if (error instanceof Failure) sendV1Error(withRetry(error, reply), request, reply);
  else if ((error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    sendV1Error(new V1Error('payload_too_large', 'The request body is too large.'), request, reply);
  } else void sendError(error, request, reply);
}

function withRetry(failure: Failure, reply: FastifyReply): V1Error {
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  return toV1Error(failure);
}
