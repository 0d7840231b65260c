import { toJsonText } from '../json/clean-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { cleanText, truncateText } from '../json/text.ts';
import { distinctIdOf } from './distinct-id.ts';
import type { DropReason } from './drop-reasons.ts';
import { readChain } from './elements-chain.ts';
import type { VisitorFacts } from './enrich-properties.ts';
import type { Event } from './event.ts';
import { identityOf } from './event-identity.ts';
import { eventName } from './event-name.ts';
import { eventTime, type RequestTimestamps } from './event-time.ts';
import { groupIdentify, MAX_GROUP_KEY_LENGTH } from './groups.ts';
import { type PropertyContext, readProperties } from './read-properties.ts';
import { type Refusal, refusalOf } from './refused-event.ts';
import { specialEvent } from './special-events.ts';
import type { Warning } from './warning.ts';

/**
 * Turns a raw event into the `Event` to store, or into the reason why it is dropped. Pure: the same raw event in the same
 * context gives the same result, so that a replay stores nothing twice. The raw event must not be used afterwards: its
 * properties are completed in place (see `readProperties`).
 */
export interface NormaliseContext extends RequestTimestamps {
  projectId: number;
  /** What the request tells about the visitor. */
  visitor?: VisitorFacts;
  /** The client's address; null where it is unknown. */
  ip: string | null;
  /** The project stores no IP addresses, not even one that the client sends. */
  anonymizeIps: boolean;
  /** The request came to /engage/, where a missing name means `$identify`. */
  engage: boolean;
  /** Its uuid if nothing else identifies it; the same whenever it is read. */
  readonly fallbackUuid: string;
  /** False: the project has no persons. */
  personProcessing?: boolean;
  /** The request's text needs no cleaning, see `hasCleanText`. */
  isClean?: boolean;
}

export type Normalised =
  | { kind: 'event'; event: Event; warnings: Warning[] }
  | { kind: 'dropped'; reason: DropReason; uuid: string; warnings: Warning[] };

export function normalise(raw: unknown, context: NormaliseContext): Normalised {
  const warnings: Warning[] = [];
  if (!isJsonObject(raw)) return drop('not_an_object', context.fallbackUuid, warnings);
  const given = isJsonObject(raw['properties']) ? raw['properties'] : {};
  const identity = identityOf(raw, given, context);
  if (identity === undefined) {
    warnings.push({ type: 'skipping_event_invalid_uuid', details: invalidUuidDetails(raw, given) });
    return drop('invalid_uuid', context.fallbackUuid, warnings);
  }
  const { uuid } = identity;
  const refusal = refusalOf(raw);
  if (refusal !== undefined) {
    warnings.push({ type: refusal.reason, details: refusalDetails(raw, uuid, refusal) });
    return drop(refusal.reason, uuid, warnings);
  }
  const name = eventName(raw, context.engage);
  if (name === undefined) return drop('missing_event_name', uuid, warnings);
  const special = specialEvent(name, given, uuid, warnings);
  if (special !== undefined) return drop(special, uuid, warnings);
  const distinctId = distinctIdOf(raw, given);
  if (distinctId === undefined) return drop('missing_distinct_id', uuid, warnings);
  const person = personMode(given['$process_person_profile'], name, uuid, distinctId, context, warnings);
  if (person === 'drop') return drop('person_processing_disabled', uuid, warnings);
  const properties = readProperties(raw, given, propertyFacts(name, person, context));
  if (properties === undefined) return drop('nested_too_deeply', uuid, warnings);

  const event: Event = {
    projectId: context.projectId,
    uuid,
    event: name,
    distinctId,
    timestamp: eventTime(raw, given['$ignore_sent_at'] === true, context, warnings),
    receivedAt: context.receivedAt,
    properties,
    elementsChain: readChain(given),
    person,
  };
  if (identity.formerUuid !== undefined) event.formerUuid = identity.formerUuid;
  if (identity.isGenerated) event.isGenerated = true;
  if (isGroupKeyTooLong(event, warnings)) return drop('group_key_too_long', uuid, warnings);
  return { kind: 'event', event, warnings };
}

const drop = (reason: DropReason, uuid: string, warnings: Warning[]): Normalised => ({
  kind: 'dropped',
  reason,
  uuid,
  warnings,
});

/** Enough to find the client that sends it. */
const invalidUuidDetails = (raw: JsonObject, given: JsonObject): JsonObject => ({
  eventUuid: truncateText(cleanText(toJsonText(raw['uuid']) ?? ''), 100),
  event: eventName(raw, false) ?? null,
  distinctId: distinctIdOf(raw, given) ?? null,
});

const NOTHING_KNOWN: VisitorFacts = {};

const propertyFacts = (name: string, person: Event['person'], context: NormaliseContext): PropertyContext => ({
  name,
  visitor: context.visitor ?? NOTHING_KNOWN,
  ip: context.ip,
  anonymizeIps: context.anonymizeIps,
  sentAt: context.sentAt,
  updatesPerson: person === 'full' && name !== '$groupidentify',
  isClean: context.isClean === true,
});

function isGroupKeyTooLong(event: Event, warnings: Warning[]): boolean {
  const group = groupIdentify(event);
  if (group === undefined || group.key.length <= MAX_GROUP_KEY_LENGTH) return false;
  const details = { eventUuid: event.uuid, groupType: group.type, length: group.key.length };
  warnings.push({ type: 'group_key_too_long', details });
  return true;
}

const refusalDetails = (raw: JsonObject, eventUuid: string, { bytes, keys }: Refusal): JsonObject => ({
  eventUuid,
  event: String(raw['event'] ?? '').slice(0, 200),
  distinctId: String(raw['distinct_id'] ?? raw['$distinct_id'] ?? '').slice(0, 200),
  bytes,
  keys,
});

/** Events that have no meaning without persons. */
const NEEDS_PERSON: ReadonlySet<string> = new Set([
  '$identify',
  '$create_alias',
  '$merge_dangerously',
  '$groupidentify',
]);

/**
 * Whether the event creates or changes a person. Only `false` turns that off; other values count as true, with a warning.
 * An event that needs a person is then dropped.
 */
function personMode(
  flag: Json | undefined,
  name: string,
  eventUuid: string,
  distinctId: string,
  project: { personProcessing?: boolean },
  warnings: Warning[],
): Event['person'] | 'drop' {
  const isOff = flag === false || project.personProcessing === false;
  if (!isOff && (flag === undefined || flag === true)) return 'full';
  const details = { event: name, eventUuid, distinctId };
  if (!isOff) {
    warnings.push({ type: 'invalid_process_person_profile', details });
    return 'full';
  }
  if (!NEEDS_PERSON.has(name)) return 'none';
  warnings.push({ type: 'invalid_event_when_process_person_profile_is_false', details });
  return 'drop';
}
