/**
 * Gives events what they would get from the request they came with: an id, a time by this machine's clock, the address of
 * the sender, and the name that /engage/ implies. So they can be sent on later, together with others and again, and are
 * stored as if they had come directly.
 */

import { identityOf } from '../../core/events/event-identity.ts';
import { eventName } from '../../core/events/event-name.ts';
import { eventTime } from '../../core/events/event-time.ts';
import { isDeeperThan, MAX_DEPTH } from '../../core/json/clean-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { derivedUuid } from '../../ingest/accept/request-context.ts';

interface EventSource {
  projectId: number;
  receivedAt: number;
  sentAt: number | null;
  seed: Buffer;
  ip: string | null;
  /** An event without a name is an `$identify`. */
  engage: boolean;
}

/** The server drops an event with deeper values, with a warning; what is below that would overflow the stack. */
const MAX_SENT_DEPTH = MAX_DEPTH + 10;

export const completeEvents = (events: readonly JsonObject[], source: EventSource): JsonObject[] =>
  events.map((event, index) => completeEvent(withoutDepths(event), index, source));

function completeEvent(event: JsonObject, index: number, source: EventSource): JsonObject {
  const properties = isJsonObject(event['properties']) ? event['properties'] : {};
  const { offset: _offset, ...rest } = event;
  const identity = identityOf(event, properties, { ...source, fallbackUuid: derivedUuid(source, index) });
  const ignoresSentAt = properties['$ignore_sent_at'] === true;
  const time = eventTime(event, ignoresSentAt, source, []);
  const name = source.engage ? eventName(event, true) : undefined;
  return {
    ...rest,
    ...(name === undefined ? {} : { event: name }),
    // An id that is none is refused by the server, with a warning that says so.
    ...(identity === undefined ? {} : { uuid: identity.uuid }),
    timestamp: new Date(time).toISOString(),
    properties: { ...requestProperties(source), ...properties },
  };
}

/** What the server would add, unless the event says it. */
const requestProperties = ({ ip, sentAt }: EventSource): JsonObject => ({
  ...(ip === null ? {} : { $ip: ip }),
  ...(sentAt === null ? {} : { $sent_at: new Date(sentAt).toISOString() }),
});

const withoutDepths = (event: JsonObject): JsonObject =>
  isDeeperThan(event, MAX_SENT_DEPTH) ? (cut(event, MAX_SENT_DEPTH) as JsonObject) : event;

function cut(value: Json, levels: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (levels <= 0) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item ?? null, levels - 1)]));
}
