/** Streams events as they are stored (server-sent events), until the client disconnects or the server stops. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { hasAccessStill } from '../../../access/callers.ts';
import { Failure } from '../../../core/errors.ts';
import { parseExact, stringifyExact } from '../../../core/json/exact-json.ts';
import { requiredScopes } from '../../../core/scopes.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { EventStream } from '../../../http/event-stream.ts';
import { refuseHead } from '../../../http/head-requests.ts';
import { queryText } from '../../../http/paging.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import { STREAM_HEADERS } from '../../../http/server-sent-events.ts';
import type { LiveEvent } from '../../../ingest/live/live-event-publisher.ts';
import type { EventApiDeps } from './deps.ts';

const SCOPE = 'query';
const NEEDS = requiredScopes(SCOPE, 'read');
const HEARTBEAT_MS = 15_000;
const RETRY_AFTER_SECONDS = 30;
/** Streams of one organization, as a part of all. */
const ORGANIZATION_SHARE = 4;

export function liveEventRoutes(app: FastifyInstance, deps: EventApiDeps): void {
  const open = new Set<EventStream>();
  const organizations = new Map<EventStream, string>();
  // A stopping server waits for its connections, and these would never end.
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const stream of open) stream.end();
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/events/live/',
    summary: 'Events as they are stored, as server-sent events',
    tag: 'events',
    scope: SCOPE,
    query: { event: 'Only events of this name.', distinct_id: 'Only events with this distinct id.' },
    response: Type.String({
      description: 'A stream of `text/event-stream`; `dropped` events count what was left out.',
    }),
    handler: async ({ caller, project, query, request, reply }) => {
      refuseHead(request.raw);
      requireRoom(organizations, project.organizationId, deps.config.maxLiveStreams);
      const event = queryText(query, 'event') || undefined;
      const distinctId = queryText(query, 'distinct_id') || undefined;
      const isWanted = (stored: LiveEvent): boolean =>
        (event === undefined || stored.event === event) &&
        (distinctId === undefined || stored.distinctId === distinctId);
      const stream = new EventStream(reply.raw);
      // Counted before anything is waited for, so that requests at the same time do not share the last place.
      organizations.set(stream, project.organizationId);
      reply.raw.once('close', () => organizations.delete(stream));
      const stop = await deps.tail.subscribe(project.id, (stored) => {
        if (isWanted(stored)) stream.send(stringifyExact(presentLiveEvent(stored)));
      });
      const isAllowed = (): Promise<boolean> => hasAccessStill(deps, caller, project, NEEDS);
      keepOpen(reply, stream, open, stop, isAllowed);
      // The server began to stop while this stream was being opened.
      if (isClosing) stream.end();
      return reply;
    },
  });
}

/** Each stream takes a connection and some memory. */
function requireRoom(open: ReadonlyMap<EventStream, string>, organizationId: string, max: number): void {
  const own = [...open.values()].filter((id) => id === organizationId).length;
  if (own < Math.floor(max / ORGANIZATION_SHARE) && open.size < max) return;
  throw new Failure('unavailable', 'Too many live streams are open. Close one, or try again later.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}

/** Takes the connection over from Fastify. */
function keepOpen(
  reply: FastifyReply,
  stream: EventStream,
  open: Set<EventStream>,
  stop: () => Promise<void>,
  isAllowed: () => Promise<boolean>,
): void {
  const { raw, log } = reply;
  open.add(stream);
  // Access may end while the stream is open. If that cannot be found out, the client has to ask again.
  const beat = async (): Promise<void> => {
    if (await isAllowed().catch(() => false)) stream.comment('still here');
    else stream.end();
  };
  const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS);
  raw.once('close', () => {
    clearInterval(heartbeat);
    open.delete(stream);
    // The worker may have stopped, and its subscriptions with it.
    stop().catch((err: unknown) => log.debug({ err }, 'a live stream ended while the event store was unavailable'));
  });
  reply.hijack();
  raw.writeHead(200, STREAM_HEADERS);
  stream.comment('watching');
  if (raw.destroyed) raw.emit('close');
}

const presentLiveEvent = (event: LiveEvent) => ({
  id: event.uuid,
  event: event.event,
  distinct_id: event.distinctId,
  person_id: event.personId,
  timestamp: isoOffset(event.timestamp),
  properties: parseExact(event.properties) as unknown,
});
