/** Merges concurrent edits of a flag. If both changed the isSame field, the later edit is a conflict. */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import { withExplicitGroups } from '../rules/filters-shape.ts';
import { FLAG_FIELDS, type FlagChanges, type FlagField } from './flag-fields.ts';

/**
 * `changes` without the fields that are as in `original`, the flag when the caller began to edit. Null if a field that
 * they changed has been changed by somebody else since.
 */
export function mergeChanges(original: JsonObject, current: FlagChanges, changes: FlagChanges): FlagChanges | null {
  const merged: FlagChanges = { ...changes };
  for (const [field, name] of Object.entries(FLAG_FIELDS) as [FlagField, string][]) {
    if (changes[field] === undefined || !Object.hasOwn(original, name)) continue;
    const base = original[name] ?? null;
    if (isSame(field, changes[field], base)) delete merged[field];
    else if (!isSame(field, current[field], base) && !isSame(field, current[field], changes[field])) return null;
  }
  return merged;
}

/** Filters may have been sent as they were presented, with a group that is not stored. */
const isSame = (field: FlagField, a: Json | undefined, b: Json | undefined): boolean =>
  jsonEqual(field === 'filters' ? normalized(a) : a, field === 'filters' ? normalized(b) : b);

const normalized = (filters: Json | undefined): Json | undefined =>
  typeof filters === 'object' && filters !== null && !Array.isArray(filters) ? withExplicitGroups(filters) : filters;
