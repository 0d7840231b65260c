import { distinctIdOf, toDistinctId } from '../events/distinct-id.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** Whether one of these ids stands anywhere in a value, as a whole text. */
export function referencesAny(value: Json | undefined, ids: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return ids.has(value);
  if (Array.isArray(value)) return value.some((item) => referencesAny(item, ids));
  return isJsonObject(value) && Object.values(value).some((item) => referencesAny(item, ids));
}

/** The properties in which an event names a second id of its person. */
const OTHER_IDS = ['$anon_distinct_id', 'alias', 'distinct_id'] as const;

/**
 * Whether a raw event that could not be processed is somebody's: it came with one of their ids, or ties one to another.
 * An event that could not even be read is kept as text; there it is enough that an id is spelled.
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
