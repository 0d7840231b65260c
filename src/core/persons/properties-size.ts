import { stringifyExact } from '../json/exact-json.ts';
import type { Json, JsonObject } from '../json/json.ts';

/** Of a person or a group, as JSON, about. Every event could add to them; what they have is read with each of them. */
const MAX_PROPERTIES_LENGTH = 128 * 1024;

/** A change that only makes them smaller is always allowed. */
export const growsTooLarge = (before: JsonObject, after: JsonObject): boolean => {
  const length = lengthOf(after);
  return length > MAX_PROPERTIES_LENGTH && length > lengthOf(before);
};

/** The length of the JSON but for escapes: without writing it, since most properties are short texts and numbers. */
function lengthOf(properties: JsonObject): number {
  let length = 2;
  for (const key in properties) length += key.length + 4 + lengthOfValue(properties[key] ?? null);
  return length;
}

function lengthOfValue(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  return typeof value === 'object' && value !== null ? stringifyExact(value).length : 8;
}
