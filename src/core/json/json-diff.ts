import { isJsonObject, type Json } from './json.ts';
import { jsonEqual } from './json-equal.ts';

interface JsonDifference {
  /** `filters.groups[0].rollout_percentage`. */
  path: string;
  /** Null: it was not there. */
  from: Json;
  to: Json;
}

/** What differs, as deep as both sides have the same shape. Recurses: the caller limits the depth. */
export function diffJson(from: Json, to: Json, path = ''): JsonDifference[] {
  if (jsonEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return from.flatMap((item, index) => diffJson(item, to[index] ?? null, `${path}[${index}]`));
  if (!isJsonObject(from) || !isJsonObject(to)) return [{ path, from, to }];
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].flatMap((key) =>
    diffJson(memberOf(from, key), memberOf(to, key), path === '' ? key : `${path}.${key}`),
  );
}

const memberOf = (object: { [key: string]: Json }, key: string): Json =>
  Object.hasOwn(object, key) ? (object[key] ?? null) : null;
