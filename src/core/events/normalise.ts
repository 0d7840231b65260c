import { cleanJson } from './clean-json.ts';
import { distinctIdOf } from './distinct-id.ts';
import type { DropReason } from './drop-reasons.ts';
import type { Event } from './event.ts';
import { identityOf } from './event-identity.ts';
import { eventName } from './event-name.ts';
import { type ClockFacts, eventTime } from './event-time.ts';
import { groupIdentify, LONGEST_GROUP_KEY } from './groups.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { personMode } from './person-mode.ts';
import { type ReadProperties, readProperties } from './read-properties.ts';
import { specialEvent } from './special-events.ts';
import { cleanText } from './text.ts';
import type { Warning } from './warning.ts';

/**
 * From what a client sent to what is stored: one raw event in, an `Event` or the reason why there is none out. Pure:
 * replaying the same raw event in the same context gives the same result, which is what 'stored once' rests on.
 * The raw event is not changed; the `Event` shares no container with it that later steps write to.
 */
export interface NormaliseContext extends ClockFacts {
  projectId: number;
  /** Where the request came from; null where unknown. */
  ip: string | null;
  /** The project keeps no addresses, neither the connection's nor one that the client sends. */
  anonymizeIps: boolean;
  /** The request came to /engage/, where a missing name means `$identify`. */
  engage: boolean;
  /** Drawn at acceptance; the event's uuid if nothing else identifies it. */
  fallbackUuid: string;
  /** False: the project keeps no persons at all. */
  personProcessing?: boolean;
}

export type Normalised =
  | { kind: 'event'; event: Event; warnings: Warning[] }
  | { kind: 'dropped'; reason: DropReason; uuid: string; warnings: Warning[] };

export function normalise(raw: unknown, context: NormaliseContext): Normalised {
  const warnings: Warning[] = [];
  const drop = (reason: DropReason, uuid = context.fallbackUuid): Normalised => ({
    kind: 'dropped',
    reason,
    uuid,
    warnings,
  });

  if (!isJsonObject(raw)) return drop('not_an_object');
  const given = isJsonObject(raw['properties']) ? raw['properties'] : {};
  const uuid = identityOf(raw, given, context.projectId, context.fallbackUuid);
  if (uuid === undefined) {
    warnings.push({ type: 'skipping_event_invalid_uuid', details: {} });
    return drop('invalid_uuid');
  }
  const name = eventName(raw, context.engage);
  if (name === undefined) return drop('missing_event_name', uuid);
  const special = specialEvent(name, given, uuid, warnings);
  if (special !== undefined) return drop(special, uuid);
  const distinctId = distinctIdOf(raw, given);
  if (distinctId === undefined) return drop('missing_distinct_id', uuid);
  const read = readProperties(raw);
  if (read === undefined) return drop('nested_too_deeply', uuid);
  const person = personMode(read.processPersonProfile, name, { uuid, distinctId }, context, warnings);
  if (person === 'drop') return drop('person_processing_disabled', uuid);

  const timestamp = eventTime(raw, read.properties['$ignore_sent_at'] === true, context, warnings);
  const event: Event = {
    projectId: context.projectId,
    uuid,
    event: name,
    distinctId,
    timestamp,
    receivedAt: context.receivedAt,
    properties: completeProperties(raw, read, context),
    elementsChain: read.elementsChain,
    person,
  };
  addPersonUpdates(event, read);
  return isGroupKeyTooLong(event, warnings) ? drop('group_key_too_long', uuid) : { kind: 'event', event, warnings };
}

/** Adds to the copied properties what the request knows and the event does not say itself. */
function completeProperties(raw: JsonObject, read: ReadProperties, context: NormaliseContext): JsonObject {
  const { properties } = read;
  if (!context.anonymizeIps) {
    // Whatever the client gives counts, null too: that is how it asks for no address to be kept.
    if (read.clientIp !== undefined) properties['$ip'] = cleanJson(read.clientIp);
    else if (context.ip !== null) properties['$ip'] = context.ip;
  }
  if (context.sentAt !== null && properties['$sent_at'] === undefined) {
    properties['$sent_at'] = new Date(context.sentAt).toISOString();
  }
  // Page and screen calls of Segment-style clients carry these beside the properties.
  for (const key of ['category', 'name']) {
    const value = raw[key];
    if (typeof value === 'string' && properties[key] === undefined) properties[key] = cleanText(value);
  }
  return properties;
}

/** Personless events and group descriptions change no person, so they keep no trace of an attempt to. */
function addPersonUpdates(event: Event, read: ReadProperties): void {
  if (event.person === 'none' || event.event === '$groupidentify') return;
  if (read.set !== undefined) event.properties['$set'] = read.set;
  if (read.setOnce !== undefined) event.properties['$set_once'] = read.setOnce;
  if (read.unset !== undefined) event.properties['$unset'] = read.unset;
}

function isGroupKeyTooLong(event: Event, warnings: Warning[]): boolean {
  const group = groupIdentify(event);
  if (group === undefined || group.key.length <= LONGEST_GROUP_KEY) return false;
  const details = { eventUuid: event.uuid, groupType: group.type, length: group.key.length };
  warnings.push({ type: 'group_key_too_long', details });
  return true;
}
