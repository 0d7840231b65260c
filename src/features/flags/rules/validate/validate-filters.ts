/**
 * Validates a flag's filters by themselves; references to cohorts and flags are checked in `references.ts`. Filters are
 * stored as they were sent, unknown fields included.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { invalidFlagFilters } from './filter-errors.ts';
import { checkPayloads } from './payload-rules.ts';
import { checkProperty, checkPropertyType } from './property-rules.ts';
import { checkRollout, groupTypeIndex, listOfObjects } from './rollout-rules.ts';
import { checkVariants } from './variant-rules.ts';

/** Throws a `Failure` for the first problem. */
export function validateFilters(filters: JsonObject): void {
  const flagGroupType = groupTypeIndex('aggregation_group_type_index', filters['aggregation_group_type_index']);
  const variants = checkVariants(filters['multivariate']);
  for (const [i, group] of listOfObjects('groups', filters['groups']).entries()) {
    const path = `groups[${i}]`;
    const own = groupTypeIndex(`${path}.aggregation_group_type_index`, group['aggregation_group_type_index']);
    checkGroup(path, group, own ?? flagGroupType);
    checkOverride(group['variant'], (variant) => variants.has(variant));
  }
  // These apply to persons, also on flags for groups.
  for (const name of ['super_groups', 'holdout_groups']) {
    for (const [i, group] of listOfObjects(name, filters[name] ?? []).entries()) {
      checkGroup(`${name}[${i}]`, group, null);
      checkOverride(group['variant'], () => true);
    }
  }
  const { holdout = null } = filters;
  if (holdout !== null && !isJsonObject(holdout)) throw invalidFlagFilters('holdout must be an object or null');
  checkPayloads(filters['payloads'], variants);
}

function checkGroup(path: string, group: JsonObject, aggregation: number | null): void {
  checkRollout(`${path}.rollout_percentage`, group['rollout_percentage'], true);
  const properties = listOfObjects(`${path}.properties`, group['properties'] ?? []);
  for (const property of properties) checkPropertyType(property, aggregation);
  for (const property of properties) checkProperty(property);
}

function checkOverride(variant: Json | undefined, exists: (variant: string) => boolean): void {
  if (variant === undefined || variant === null || variant === '') return;
  if (typeof variant === 'string' && exists(variant)) return;
  throw invalidFlagFilters('Filters are not valid (variant override does not exist)');
}

/** A new flag needs a group: an empty list would match nobody. */
export function requireGroups(filters: JsonObject): void {
  const groups = filters['groups'] ?? [];
  if (Array.isArray(groups) && groups.length === 0) {
    throw invalidFlagFilters('Feature flags must have at least one condition set (group).');
  }
}
