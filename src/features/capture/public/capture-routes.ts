/**
 * Capture: from a request to entries in the log. The answer means that the events are on disk, and only that they are
 * readable and the key is good: what becomes of each event is decided later, and told at `events/:uuid/fate/`.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ExtractedEvents, extractEvents } from '../../../core/events/extract-events.ts';
import { isRecording } from '../../../core/events/special-events.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { DecodedRequest } from '../../../http/public/decode/decode-request.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { callerAddress, decode, queryValues } from '../../../http/public/read-request.ts';
import { serializeRequestContext } from '../../../ingest/accept/request-context.ts';
import { checkEvents } from '../check-events.ts';
import { acceptEntry } from './accept-entry.ts';
import { CAPTURE_DOCUMENTS } from './capture-schemas.ts';
import type { CaptureDeps } from './deps.ts';
import { sentAtOf } from './sent-at.ts';

const PATHS = ['/capture/', '/batch/', '/e/', '/track/', '/engage/', '/s/', '/i/v0/e/'];
const OK = { status: 1 };

export function captureRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  for (const url of PATHS) {
    const engage = url === '/engage/';
    const handler = (request: FastifyRequest, reply: FastifyReply) => capture(deps, request, reply, engage);
    app.get(url, { schema: { hide: true } }, handler);
    app.post(url, { schema: CAPTURE_DOCUMENTS[url] ?? { hide: true } }, handler);
    app.options(url, { schema: { hide: true } }, async () => OK);
  }
}

async function capture(deps: CaptureDeps, request: FastifyRequest, reply: FastifyReply, engage: boolean) {
  const receivedAt = deps.clock.now();
  const decoded = await decode(request, deps.config.maxBodyBytes, 'v0');
  const extracted = extractEvents(await parseBody(decoded.payload));
  const query = queryValues(request);
  const sentAt = sentAtOf({ query, body: extracted.sentAt, form: decoded.formFields.get('sent_at') });
  const project = await deps.directory.getProject(...credentials(request, decoded, extracted));
  const subjects = await checkEvents(extracted.events, engage);
  const kept = worthKeeping(extracted, decoded.payload);
  const entry = {
    projectId: project.id,
    receivedAt,
    events: extracted.events.length,
    context: serializeRequestContext({
      ip: callerAddress(request),
      sentAt,
      engage,
      historical: extracted.historicalMigration,
    }),
    seed: deps.ids.seed(),
    payload: kept.payload,
  };
  await acceptEntry(deps, entry, subjects, kept.events);
  return query.get('beacon') === '1' ? reply.code(204).send() : OK;
}

/** Where the key may be: in the query of a GET, in a form, in the payload. And the project, where the key is a person's. */
function credentials(
  request: FastifyRequest,
  { formFields }: DecodedRequest,
  extracted: ExtractedEvents,
): [unknown, unknown] {
  const query = queryValues(request);
  const inQuery = request.method === 'GET' ? query.get('token') || query.get('api_key') : undefined;
  const key = inQuery || formFields.get('api_key') || formFields.get('token') || extracted.key;
  const projectId = formFields.get('project_id') ?? extracted.projectId ?? query.get('project_id');
  return [key, projectId];
}

/** Session recordings are large and not kept: the log takes only their names, so that they are counted like all else. */
function worthKeeping({ events }: ExtractedEvents, payload: Buffer): { events: JsonObject[]; payload: Buffer } {
  if (!events.every((event) => isRecording(event['event']))) return { events, payload };
  const names = events.map(({ event }) => ({ event })) as JsonObject[];
  return { events: names, payload: Buffer.from(JSON.stringify(names)) };
}
