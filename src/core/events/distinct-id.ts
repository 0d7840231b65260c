import { toJsonText } from '../json/clean-json.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { cleanText, isBlank, truncateText } from '../json/text.ts';
import { isNotGiven } from './event-name.ts';

export const MAX_DISTINCT_ID_LENGTH = 200;

/**
 * The distinct id of an event: `$distinct_id`, then the one inside `properties`, then the top-level `distinct_id`.
 * Null is skipped: `alias()` of old Node SDKs sends a top-level null beside the real id.
 */
export function distinctIdOf(raw: JsonObject, properties: JsonObject): string | undefined {
  const found = raw['$distinct_id'] ?? properties['distinct_id'] ?? raw['distinct_id'];
  if (isNotGiven(found)) return undefined;
  const id = toDistinctId(found ?? '');
  return id === undefined || isBlank(id) ? undefined : id;
}

/**
 * Any value as a distinct id: numbers and containers become their JSON text. Undefined where it is nested too deeply, and
 * for a number that is none (`1e400`).
 */
export function toDistinctId(value: Json): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  const text = typeof value === 'string' ? value : toJsonText(value);
  return text === undefined ? undefined : truncateText(cleanText(text), MAX_DISTINCT_ID_LENGTH);
}
