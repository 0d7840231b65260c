import { isJsonObject, type JsonObject } from '../json/json.ts';
import { pythonTypeName } from '../json/python-type-name.ts';
import { invalidPayload } from './extract-events.ts';
import { isUuid } from './uuid.ts';

/**
 * The errors for which a whole request is rejected. Anything else that is wrong with an event drops only that event,
 * later, and is counted by reason.
 */
export function validateEvents(events: readonly JsonObject[]): void {
  for (const event of events) {
    if (!hasUsableUuid(event)) throw invalidPayload('Invalid payload: Event field "uuid" is not a valid UUID!');
    checkProperties(event['properties']);
  }
}

/** Absent, null and empty are fine: the server chooses one. */
export function hasUsableUuid(event: JsonObject): boolean {
  const uuid = event['uuid'];
  return uuid === undefined || uuid === null || uuid === '' || (typeof uuid === 'string' && isUuid(uuid));
}

/** Empty values of any type count as 'no properties'. */
function checkProperties(properties: unknown): void {
  const isNone = !properties || (Array.isArray(properties) && properties.length === 0);
  if (isNone || isJsonObject(properties)) return;
  const type = pythonTypeName(properties);
  throw invalidPayload(`Invalid payload: Properties must be a JSON object, received ${type}!`);
}
