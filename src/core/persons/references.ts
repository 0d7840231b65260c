import { distinctIdOf, toDistinctId } from '../events/distinct-id.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** Whether one of these ids is anywhere in a value, as a whole string. */
export function referencesAny(value: Json | undefined, ids: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return ids.has(value);
  if (Array.isArray(value)) return value.some((item) => referencesAny(item, ids));
  return isJsonObject(value) && Object.values(value).some((item) => referencesAny(item, ids));
}

/** The properties with a second id of the person. */
const OTHER_IDS = ['$anon_distinct_id', 'alias', 'distinct_id'] as const;

/**
 * Whether an event that could not be processed belongs to a person: it has one of their ids, or merges one with another.
 * An event that could not even be parsed is stored as text; there any mention of an id counts.
 */
export function isEventOfPerson(raw: JsonObject, ids: ReadonlySet<string>): boolean {
  const { unreadable } = raw;
  if (typeof unreadable === 'string') return [...ids].some((id) => unreadable.includes(JSON.stringify(id)));
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : {};
  const own = distinctIdOf(raw, properties);
  if (own !== undefined && ids.has(own)) return true;
  return OTHER_IDS.some((name) => {
    const other = properties[name];
    const id = other === undefined || other === null ? undefined : toDistinctId(other);
    return id !== undefined && ids.has(id);
  });
}
