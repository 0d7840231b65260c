import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** Merges objects; later ones win. Undefined where none is an object. Copies only where there are two. */
export function overlay(...layers: (Json | undefined)[]): JsonObject | undefined {
  let result: JsonObject | undefined;
  for (const layer of layers) {
    if (isJsonObject(layer)) result = result === undefined ? layer : { ...result, ...layer };
  }
  return result;
}
