import { isJsonObject, type Json, type JsonObject } from './json.ts';

export interface JsonDifference {
  /** Such as `filters.groups[0].rollout_percentage`. */
  path: string;
  /** Null: it is not there. */
  from: Json;
  to: Json;
}

/** What differs, at the deepest place where both have something to compare. Recurses: the caller limits the depth. */
export function diffJson(from: Json, to: Json, path = ''): JsonDifference[] {
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return keys.flatMap((key) =>
      diffJson(ownValue(from, key), ownValue(to, key), path === '' ? key : `${path}.${key}`),
    );
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, at) => diffJson(from[at] ?? null, to[at] ?? null, `${path}[${at}]`)).flat();
  }
  return from === to ? [] : [{ path, from, to }];
}

/** Every object inherits `constructor` and the like. */
const ownValue = (object: JsonObject, key: string): Json => (Object.hasOwn(object, key) ? (object[key] ?? null) : null);
