import { isJsonNumber, type Json, type JsonObject } from '../json/json.ts';
import { eventUuid } from './uuid.ts';
import { hasUsableUuid } from './validate-events.ts';

/**
 * The uuid under which an event is stored once: its own, or one derived from `messageId` or `$insert_id`, or the fallback
 * generated when it was accepted. Undefined where its own is invalid.
 */
export function identityOf(
  raw: JsonObject,
  properties: JsonObject,
  projectId: number,
  fallback: string,
): string | undefined {
  if (!hasUsableUuid(raw)) return undefined;
  const { uuid } = raw;
  if (typeof uuid === 'string' && uuid !== '') return uuid.toLowerCase();
  // The first Android SDK spells it `message_id`.
  const messageId = idText(raw['messageId']) ?? idText(raw['message_id']);
  if (messageId !== undefined) return eventUuid(projectId, 'messageId', messageId);
  const insertId = idText(properties['$insert_id']);
  return insertId === undefined ? fallback : eventUuid(projectId, '$insert_id', insertId);
}

const idText = (value: Json | undefined): string | undefined => {
  if (isJsonNumber(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};
