import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { cleanText } from '../json/text.ts';
import type { Event } from './event.ts';

/** Group types per project, numbered in the order of their first use. */
export const MAX_GROUP_TYPES = 5;
export const MAX_GROUP_KEY_LENGTH = 400;

export interface GroupIdentify {
  type: string;
  key: string;
  set: JsonObject;
}

/** The group and properties of a `$groupidentify`; undefined for other events, and without type or key. */
export function groupIdentify(event: Pick<Event, 'event' | 'properties'>): GroupIdentify | undefined {
  if (event.event !== '$groupidentify') return undefined;
  const type = groupText(event.properties['$group_type']);
  const key = groupText(event.properties['$group_key']);
  if (type === undefined || key === undefined) return undefined;
  const set = event.properties['$group_set'];
  return { type, key, set: isJsonObject(set) ? set : {} };
}

const NO_KEYS: readonly (string | null)[] = [null, null, null, null, null];
const NO_TYPES: readonly string[] = [];

/** The group types of an event, in order; each needs an index before `applyGroups`. */
export function groupTypesIn(event: Pick<Event, 'event' | 'properties'>): readonly string[] {
  const { $groups: groups } = event.properties;
  const identified = groupIdentify(event);
  if (!isJsonObject(groups)) return identified ? [identified.type] : NO_TYPES;
  const types = Object.keys(groups).filter((type) => type !== '' && groupText(groups[type]) !== undefined);
  return identified && !types.includes(identified.type) ? [...types, identified.type] : types;
}

/**
 * Writes `$group_<index>` into the event's properties and returns the keys by index. Types without an index, beyond the
 * fifth of the project, are ignored.
 */
export function applyGroups(event: Event, typeIndexes: ReadonlyMap<string, number>): readonly (string | null)[] {
  const { $groups: groups } = event.properties;
  if (!isJsonObject(groups)) return NO_KEYS;
  const keys = [...NO_KEYS];
  for (const type of Object.keys(groups)) {
    const index = typeIndexes.get(type);
    const key = groupText(groups[type]);
    if (index === undefined || index >= MAX_GROUP_TYPES || key === undefined) continue;
    keys[index] = key;
    event.properties[`$group_${index}`] = key;
  }
  return keys;
}

/** Group types and keys are strings or numbers; anything else counts as absent, and so does `1e400`. */
export function groupText(value: Json | undefined): string | undefined {
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? cleanText(value) : undefined;
}
