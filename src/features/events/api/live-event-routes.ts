/** Events as they are stored, for whoever watches: server-sent events, until the reader goes or the server stops. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { EventStream } from '../../../http/event-stream.ts';
import { queryText } from '../../../http/paging.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import type { LiveEvent } from '../../../ingest/live/live-event-publisher.ts';
import type { ApiDeps } from './deps.ts';

const HEARTBEAT_MS = 15_000;
/** Each costs a connection and a little memory for as long as it lasts. */
const MAX_STREAMS = 200;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Kept for another request, it would be one more connection that a stopping server waits for.
  connection: 'close',
  // Proxies of the nginx kind would collect what should be seen at once.
  'x-accel-buffering': 'no',
};

export function liveEventRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const open = new Set<EventStream>();
  // A server that stops waits for its connections: these would never end by themselves.
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
    query: { event: 'Only events of this name.', distinct_id: 'Only events with this distinct id.' },
    response: Type.String({
      description: 'A stream of `text/event-stream`; `dropped` events tell what was passed over.',
    }),
    handler: async ({ project, query, reply }) => {
      if (open.size >= MAX_STREAMS) throw new Failure('unavailable', 'Too many live streams are open.');
      const event = queryText(query, 'event') || undefined;
      const distinctId = queryText(query, 'distinct_id') || undefined;
      const isWanted = (stored: LiveEvent): boolean =>
        (event === undefined || stored.event === event) &&
        (distinctId === undefined || stored.distinctId === distinctId);
      const stream = new EventStream(reply.raw);
      const stop = await deps.tail.subscribe(project.id, (stored) => {
        if (isWanted(stored)) stream.send(JSON.stringify(presentLiveEvent(stored)));
      });
      keepOpen(reply, stream, open, stop);
      // One that was asked for just before.
      if (isClosing) stream.end();
      return reply;
    },
  });
}

/** From here on the connection is ours. */
function keepOpen(reply: FastifyReply, stream: EventStream, open: Set<EventStream>, stop: () => Promise<void>): void {
  const { raw, log } = reply;
  open.add(stream);
  const heartbeat = setInterval(() => stream.comment('still here'), HEARTBEAT_MS);
  raw.once('close', () => {
    clearInterval(heartbeat);
    open.delete(stream);
    // The worker may be gone by now, and with it what it was told to watch.
    stop().catch((err: unknown) => log.debug({ err }, 'a live stream ended while the event store was away'));
  });
  reply.hijack();
  raw.writeHead(200, HEADERS);
  stream.comment('watching');
  if (raw.destroyed) raw.emit('close');
}

const presentLiveEvent = (event: LiveEvent) => ({
  id: event.uuid,
  event: event.event,
  distinct_id: event.distinctId,
  person_id: event.personId,
  timestamp: isoOffset(event.timestamp),
  properties: JSON.parse(event.properties) as unknown,
});
