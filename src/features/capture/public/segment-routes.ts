/** Segment's HTTP protocol, for those who have its libraries in their code: the same log behind another front. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { changedSubjects } from '../../../core/events/changed-subjects.ts';
import { extractEvents, invalidPayload } from '../../../core/events/extract-events.ts';
import { isDeeperThan, MAX_DEPTH } from '../../../core/json/clean-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseBody } from '../../../http/public/decode/parse-body.ts';
import { callerAddress, decode, queryValues } from '../../../http/public/read-request.ts';
import { serializeRequestContext } from '../../../ingest/accept/request-context.ts';
import { serializeEvents } from '../../../ingest/accept/serialize-events.ts';
import { eachBatch } from '../../../lib/in-turns.ts';
import { eventFromSegment } from '../rules/segment-message.ts';
import { acceptEntry } from './accept-entry.ts';
import type { CaptureDeps } from './deps.ts';
import { sentAtOf } from './sent-at.ts';

/** The last part of the path → the kind of its message; those of a batch say their kind themselves. */
const KINDS: Readonly<Record<string, string | undefined>> = {
  batch: undefined,
  import: undefined,
  ...Object.fromEntries(['identify', 'track', 'page', 'screen', 'group', 'alias'].map((kind) => [kind, kind])),
};

export function segmentRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  const hide = { schema: { hide: true } };
  for (const [name, kind] of Object.entries(KINDS)) {
    app.post(`/v1/${name}`, hide, (request) => captureSegment(deps, request, kind));
    app.options(`/v1/${name}`, hide, async () => ({ success: true }));
  }
}

/** About a millisecond. */
const BATCH_SIZE = 250;

async function captureSegment(deps: CaptureDeps, request: FastifyRequest, kind: string | undefined) {
  const receivedAt = deps.clock.now();
  const { payload } = await decode(request, deps.config.maxBodyBytes, 'v0');
  const body = await parseBody(payload);
  const { events: messages } = extractEvents(body);
  const envelope = isJsonObject(body) ? body : {};
  const project = await deps.directory.getProject(writeKey(request, envelope), undefined);
  const sentAt = sentAtOf({ query: queryValues(request), body: envelope['sentAt'], form: undefined });
  const events: JsonObject[] = [];
  await eachBatch(messages, BATCH_SIZE, (some) => {
    for (const message of some) events.push(toEvent(message, kind));
  });
  await acceptEntry(
    deps,
    {
      projectId: project.id,
      receivedAt,
      events: events.length,
      context: serializeRequestContext({ ip: callerAddress(request), sentAt, engage: false, historical: false }),
      seed: deps.ids.seed(),
      payload: await serializeEvents(events),
    },
    changedSubjects(events, false),
    events,
  );
  return { success: true };
}

/** The name of Basic authentication, without a password; or in the body. */
function writeKey({ headers }: FastifyRequest, body: JsonObject): Json | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const name = encoded === undefined ? '' : (Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0] ?? '');
  return name || body['writeKey'];
}

function toEvent(message: JsonObject, kind: string | undefined): JsonObject {
  // Written into the log anew, it would overflow; bodies that go there as they came are judged later.
  if (isDeeperThan(message, MAX_DEPTH)) {
    throw invalidPayload(`Invalid payload: a message is nested more than ${MAX_DEPTH} levels deep.`);
  }
  return eventFromSegment(message, kind ?? message['type']);
}
