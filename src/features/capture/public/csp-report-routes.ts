/** Browsers' reports of content-security-policy violations: the key is in the URL, since browsers add nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidPayload } from '../../../core/events/extract-events.ts';
import { parseSmallBody } from '../../../http/public/decode/parse-body.ts';
import { queryValues } from '../../../http/public/read-request.ts';
import { cspEvents, invalidReport } from '../rules/csp-report.ts';
import { accept } from './accept.ts';
import type { CaptureDeps } from './deps.ts';

/** Browsers send one report or a few. */
const MAX_REPORT_BYTES = 256 * 1024;
const REPORT_TYPES = /^\s*application\/(csp-report|reports\+json)\s*(;|$)/i;

export function cspReportRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  app.post('/report/', { schema: { hide: true }, bodyLimit: MAX_REPORT_BYTES }, (request, reply) =>
    report(deps, request, reply),
  );
  app.options('/report/', { schema: { hide: true } }, async () => ({ status: 1 }));
}

async function report(deps: CaptureDeps, request: FastifyRequest, reply: FastifyReply) {
  if (!REPORT_TYPES.test(request.headers['content-type'] ?? '')) {
    throw invalidPayload('Invalid payload: All events must have the event name field "event"!');
  }
  const query = queryValues(request);
  const sender = { key: query.get('token') ?? query.get('api_key'), projectId: query.get('project_id') };
  await accept(deps, request, {
    encodings: 'v1',
    sender,
    read: ({ payload }) => ({
      ...sender,
      readEvents: () => ({
        events: cspEvents(parseReport(payload), {
          distinctId: query.get('distinct_id') ?? undefined,
          sessionId: query.get('session_id') ?? undefined,
          version: query.get('v') ?? undefined,
          fallbackId: deps.ids.uuid(),
        }),
      }),
    }),
  });
  return reply.code(204).send();
}

function parseReport(payload: Buffer): unknown {
  try {
    return parseSmallBody(payload);
  } catch (cause) {
    const failure = invalidReport();
    failure.cause = cause;
    throw failure;
  }
}
