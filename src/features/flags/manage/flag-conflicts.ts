/** Two people who edit one flag: what each of them changed is kept; where both changed the same field, the later hears of it. */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import { withExplicitGroups } from '../rules/filters-shape.ts';
import { FLAG_FIELDS, type FlagChanges, type FlagField } from './flag-fields.ts';

/**
 * `changes` without what the caller left as it was in `original`, the flag when they began. Null where a field that they
 * changed is no longer what it was then.
 */
export function mergeChanges(original: JsonObject, current: FlagChanges, changes: FlagChanges): FlagChanges | null {
  const settled: FlagChanges = { ...changes };
  for (const [field, name] of Object.entries(FLAG_FIELDS) as [FlagField, string][]) {
    if (changes[field] === undefined || !Object.hasOwn(original, name)) continue;
    const base = original[name] ?? null;
    if (same(field, changes[field], base)) delete settled[field];
    else if (!same(field, current[field], base) && !same(field, current[field], changes[field])) return null;
  }
  return settled;
}

/** Filters may have been sent as they were read: with the group that is not stored. */
const same = (field: FlagField, a: Json | undefined, b: Json | undefined): boolean =>
  jsonEqual(field === 'filters' ? expanded(a) : a, field === 'filters' ? expanded(b) : b);

const expanded = (filters: Json | undefined): Json | undefined =>
  typeof filters === 'object' && filters !== null && !Array.isArray(filters) ? withExplicitGroups(filters) : filters;
