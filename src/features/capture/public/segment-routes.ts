/** Segment's HTTP protocol, for apps that use its libraries. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { extractEvents, invalidPayload } from '../../../core/events/extract-events.ts';
import { refusalOf } from '../../../core/events/refused-event.ts';
import { isDeeperThan, MAX_DEPTH } from '../../../core/json/clean-json.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { eachBatch } from '../../../lib/in-batches.ts';
import { eventFromSegment } from '../rules/segment-message.ts';
import { accept } from './accept.ts';
import type { CaptureDeps } from './deps.ts';
import { sentAtOf } from './sent-at.ts';

/** Last part of the path → type of its message; messages of a batch say it themselves. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  batch: undefined,
  import: undefined,
  ...Object.fromEntries(['identify', 'track', 'page', 'screen', 'group', 'alias'].map((type) => [type, type])),
};

export function segmentRoutes(app: FastifyInstance, deps: CaptureDeps): void {
  const hide = { schema: { hide: true } };
  for (const [name, type] of Object.entries(TYPES)) {
    app.post(`/v1/${name}`, hide, (request) => captureSegment(deps, request, type));
    app.options(`/v1/${name}`, hide, async () => ({ success: true }));
  }
}

/** About a millisecond. */
const BATCH_SIZE = 250;

async function captureSegment(deps: CaptureDeps, request: FastifyRequest, type: string | undefined) {
  const inHeader = keyInHeader(request);
  await accept(deps, request, {
    encodings: 'v0',
    ...(inHeader === undefined ? {} : { sender: { key: inHeader } }),
    async read({ payload, query }, parse) {
      const { body } = await parse(payload);
      const envelope = isJsonObject(body) ? body : {};
      return {
        key: inHeader ?? envelope['writeKey'],
        readEvents: async () => {
          const { events: messages } = extractEvents(body);
          const sentAt = sentAtOf({ query, body: envelope['sentAt'], form: undefined });
          return { sentAt, events: await toEvents(messages, type) };
        },
      };
    },
  });
  return { success: true };
}

async function toEvents(messages: readonly JsonObject[], type: string | undefined): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  await eachBatch(messages, BATCH_SIZE, (batch) => {
    for (const message of batch) events.push(toEvent(message, type));
  });
  return events;
}

/** The user name of Basic authentication; without it the key is `writeKey` in the body. */
function keyInHeader({ headers }: FastifyRequest): string | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0] || undefined;
}

function toEvent(message: JsonObject, type: string | undefined): JsonObject {
  if (refusalOf(message) !== undefined) return message;
  // Serializing it for the log would overflow the stack. Bodies that are logged as they came are checked later.
  if (isDeeperThan(message, MAX_DEPTH)) {
    throw invalidPayload(`Invalid payload: a message is nested more than ${MAX_DEPTH} levels deep.`);
  }
  return eventFromSegment(message, type ?? message['type']);
}
