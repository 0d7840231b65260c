/** Reports of browsers about broken content-security policies: the key is in the address, since browsers add nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidPayload } from '../../../core/events/extract-events.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { callerAddress, decode, queryValues } from '../../../http/public/read-request.ts';
import { serializeRequestContext } from '../../../ingest/accept/request-context.ts';
import { cspEvents, invalidReport } from '../rules/csp-report.ts';
import { acceptEntry } from './accept-entry.ts';
import type { CaptureDeps } from './deps.ts';

const REPORT_TYPES = /^\s*application\/(csp-report|reports\+json)\s*(;|$)/i;

export function cspReportRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  app.post('/report/', { schema: { hide: true } }, (request, reply) => report(deps, request, reply));
  app.options('/report/', { schema: { hide: true } }, async () => ({ status: 1 }));
}

async function report(deps: CaptureDeps, request: FastifyRequest, reply: FastifyReply) {
  const receivedAt = deps.clock.now();
  if (!REPORT_TYPES.test(request.headers['content-type'] ?? '')) {
    throw invalidPayload('Invalid payload: All events must have the event name field "event"!');
  }
  const query = queryValues(request);
  const project = await deps.directory.getProject(query.get('token') ?? query.get('api_key'), query.get('project_id'));
  const events = cspEvents(await readReport(request, deps.config.maxBodyBytes), {
    distinctId: query.get('distinct_id') ?? undefined,
    sessionId: query.get('session_id') ?? undefined,
    version: query.get('v') ?? undefined,
    fallbackId: deps.ids.uuid(),
  });
  const entry = {
    projectId: project.id,
    receivedAt,
    events: events.length,
    context: serializeRequestContext({ ip: callerAddress(request), sentAt: null, engage: false, historical: false }),
    seed: deps.ids.seed(),
    payload: Buffer.from(JSON.stringify(events)),
  };
  await acceptEntry(deps, entry, [], events);
  return reply.code(204).send();
}

async function readReport(request: FastifyRequest, maxBytes: number): Promise<unknown> {
  const { payload } = await decode(request, maxBytes, 'v1');
  try {
    return await parseBody(payload);
  } catch (cause) {
    const failure = invalidReport();
    failure.cause = cause;
    throw failure;
  }
}
