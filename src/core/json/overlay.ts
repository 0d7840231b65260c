import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** Later ones win; undefined where none is an object. Only copied where two meet. */
export function overlay(...layers: (Json | undefined)[]): JsonObject | undefined {
  let result: JsonObject | undefined;
  for (const layer of layers) {
    if (isJsonObject(layer)) result = result === undefined ? layer : { ...result, ...layer };
  }
  return result;
}
