import { toJsonText } from '../json/clean-json.ts';
import { isJsonNumber, type Json, type JsonObject } from '../json/json.ts';
import { parseTimestamp } from '../time/parse-timestamp.ts';
import { distinctIdOf } from './distinct-id.ts';
import { eventName } from './event-name.ts';
import { eventUuid, readUuid, uuidOfIdAlone } from './uuid.ts';

export interface EventIdentity {
  /** Under which the event is stored once. */
  uuid: string;
  /** Under which it was stored when `messageId` or `$insert_id` alone identified an event. */
  formerUuid?: string;
  /** It is the fallback, so no other event has it. */
  isGenerated?: true;
}

interface IdentityContext {
  projectId: number;
  /** Where a missing name means `$identify`. */
  engage: boolean;
  /** For an event that brings nothing to identify it by. Read only then: most events bring something. */
  fallbackUuid: string;
}

/**
 * The uuid of an event: its own, or one derived from `messageId` or `$insert_id`, or the fallback. Undefined where its own
 * is invalid.
 *
 * Clients send placeholders and row numbers as `messageId`, so a repeat must also have the same name, distinct id and
 * timestamp. The timestamp counts as the client sent it, since the corrected one depends on when the request arrives;
 * without one, the rest decides: otherwise a retry, which arrives later, would be another event.
 */
export function identityOf(
  raw: JsonObject,
  properties: JsonObject,
  context: IdentityContext,
): EventIdentity | undefined {
  if (!isNone(raw['uuid'])) {
    const uuid = readUuid(raw['uuid']);
    return uuid === undefined ? undefined : { uuid };
  }
  const sent = sentId(raw, properties);
  if (sent === undefined) return { uuid: context.fallbackUuid, isGenerated: true };
  const { projectId, engage } = context;
  const rest = [eventName(raw, engage) ?? '', distinctIdOf(raw, properties) ?? '', sentTime(raw['timestamp'])];
  return {
    uuid: eventUuid(projectId, ...sent, rest),
    formerUuid: uuidOfIdAlone(projectId, ...sent),
  };
}

/** Absent, null and empty are fine: the server chooses one. */
export const hasUsableUuid = ({ uuid }: JsonObject): boolean => isNone(uuid) || readUuid(uuid) !== undefined;

const isNone = (uuid: Json | undefined): boolean => uuid === undefined || uuid === null || uuid === '';

function sentId(raw: JsonObject, properties: JsonObject): ['messageId' | '$insert_id', string] | undefined {
  // The first Android SDK spells it `message_id`.
  const messageId = idText(raw['messageId']) ?? idText(raw['message_id']);
  if (messageId !== undefined) return ['messageId', messageId];
  const insertId = idText(properties['$insert_id']);
  return insertId === undefined ? undefined : ['$insert_id', insertId];
}

const idText = (value: Json | undefined): string | undefined => {
  if (isJsonNumber(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The same for `2023-01-01T00:00:00Z` and `…00.000Z`; what is no time counts as the text that it is. */
const sentTime = (value: Json | undefined): string =>
  value ? String(parseTimestamp(value) ?? toJsonText(value) ?? '') : '';
