/**
 * Gives events what they would get from the request they came with: an id, a time by this machine's clock and the address
 * of the sender. So they can be sent on later, together with others and again, and are stored as if they had come directly.
 */

import { identityOf } from '../../core/events/event-identity.ts';
import { eventTime } from '../../core/events/event-time.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json.ts';
import { derivedUuid } from '../../ingest/accept/request-context.ts';

interface EventSource {
  projectId: number;
  receivedAt: number;
  sentAt: number | null;
  seed: Buffer;
  ip: string | null;
  engage: boolean;
}

export const completeEvents = (events: readonly JsonObject[], source: EventSource): JsonObject[] =>
  events.map((event, index) => completeEvent(event, index, source));

function completeEvent(event: JsonObject, index: number, source: EventSource): JsonObject {
  const properties = isJsonObject(event['properties']) ? event['properties'] : {};
  const { offset: _offset, ...rest } = event;
  const identity = identityOf(event, properties, { ...source, fallbackUuid: derivedUuid(source, index) });
  const ignoresSentAt = properties['$ignore_sent_at'] === true;
  const time = eventTime(event, ignoresSentAt, source, []);
  return {
    ...rest,
    // An id that is none is refused by the server, with a warning that says so.
    ...(identity === undefined ? {} : { uuid: identity.uuid }),
    timestamp: new Date(time).toISOString(),
    ...(source.ip === null || '$ip' in properties ? {} : { properties: { ...properties, $ip: source.ip } }),
  };
}
