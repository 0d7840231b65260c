import { isJsonObject, type JsonObject } from '../json/json.ts';
import { pythonTypeName } from '../json/python-type-name.ts';
import { invalidPayload } from './extract-events.ts';

/**
 * The errors for which a whole request is rejected. Anything else that is wrong with an event drops only that event,
 * later, and is counted by reason.
 */
export function validateEvents(events: readonly JsonObject[]): void {
  for (const event of events) checkProperties(event['properties']);
}

/** Empty values of any type count as 'no properties'. */
function checkProperties(properties: unknown): void {
  const isNone = !properties || (Array.isArray(properties) && properties.length === 0);
  if (isNone || isJsonObject(properties)) return;
  const type = pythonTypeName(properties);
  throw invalidPayload(`Invalid payload: Properties must be a JSON object, received ${type}!`);
}
