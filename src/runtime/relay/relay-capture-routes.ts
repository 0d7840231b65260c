/** Capture at a relay: events are on its disk when it answers, and sent on from there. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../core/errors.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { validateEvents } from '../../core/events/validate-events.ts';
import { sentAtOf } from '../../features/capture/public/sent-at.ts';
import { parseEvents } from '../../http/public/decode/parse-body.ts';
import type { PublicRouteDeps } from '../../http/public/public-deps.ts';
import { callerAddress, queryValues, readPublicRequest, workOf } from '../../http/public/read-request.ts';
import { serializeEvents } from '../../ingest/accept/serialize-events.ts';
import type { IngestLog } from '../../stores/ingest/ingest-log.ts';
import { completeEvents } from './complete-events.ts';

interface RelayCaptureDeps extends PublicRouteDeps {
  journal: Pick<IngestLog, 'append'>;
  /** Called when something waits to be sent on. */
  onAccepted(): void;
}

/** What is kept of a request beside its events. */
export interface JournalContext {
  path: string;
  userAgent: string;
  ip: string | null;
  origin: string;
  historical: boolean;
}

const PATHS = ['/capture/', '/batch/', '/e/', '/track/', '/engage/', '/s/', '/i/v0/e/'];
const OK = { status: 1 };

export function relayCaptureRoutes(app: FastifyInstance, deps: RelayCaptureDeps): void {
  for (const url of PATHS) {
    const handler = (request: FastifyRequest, reply: FastifyReply) => capture(deps, request, reply, url);
    app.get(url, handler);
    app.post(url, handler);
    app.options(url, async () => OK);
  }
}

async function capture(deps: RelayCaptureDeps, request: FastifyRequest, reply: FastifyReply, url: string) {
  const receivedAt = deps.clock.now();
  const { config } = deps;
  await deps.admission.decode(...workOf(request), async () => {
    const limits = { maxBytes: config.maxBodyBytes, maxRatio: config.maxUnpackingRatio };
    const { payload, query, formFields } = await readPublicRequest(request, limits);
    const { body, refused } = await parseEvents(payload, config);
    for (const reason of refused) deps.admission.countRefusal(reason);
    const { events, key, projectId, sentAt, historicalMigration: historical } = extractEvents(body);
    const inQuery = request.method === 'GET' ? query.get('token') || query.get('api_key') : undefined;
    const given = inQuery || formFields.get('api_key') || formFields.get('token') || key;
    const project = await deps.directory.getProject(given, projectId, request.ip);
    validateEvents(events);
    if (events.length === 0) return;
    const seed = deps.ids.seed();
    const ip = callerAddress(request);
    const engage = url === '/engage/';
    const completed = completeEvents(events, {
      projectId: project.id,
      receivedAt,
      sentAt: sentAtOf({ query, body: sentAt, form: formFields.get('sent_at') }),
      seed,
      ip,
      engage,
    });
    const { 'user-agent': userAgent = '', origin = '' } = request.headers;
    const context: JournalContext = { path: engage ? '/engage/' : '/batch/', userAgent, ip, origin, historical };
    await append(deps, {
      projectId: project.id,
      receivedAt,
      events: events.length,
      context: JSON.stringify(context),
      seed,
      payload: await serializeEvents(completed),
    });
  });
  return queryValues(request).get('beacon') === '1' ? reply.code(204).send() : OK;
}

async function append({ journal, onAccepted }: RelayCaptureDeps, entry: Parameters<IngestLog['append']>[0]) {
  try {
    await journal.append(entry);
  } catch (cause) {
    throw new Failure('unavailable', 'Unable to store some events. Please try again.', {
      code: 'server_error',
      retryAfter: 2,
      cause,
    });
  }
  onAccepted();
}
