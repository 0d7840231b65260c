/** Access to the parts of a flag's filters that have passed `validateFilters`. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Old and empty flags have filters without groups, which mean one group: everybody, or those with `properties`. */
export function withExplicitGroups(filters: JsonObject): JsonObject {
  if (Object.hasOwn(filters, 'groups')) return filters;
  const { properties = [], ...rest } = filters;
  return { ...rest, groups: [{ properties, rollout_percentage: null }] };
}

export const groupsOf = (filters: JsonObject): JsonObject[] => objects(withExplicitGroups(filters)['groups']);

/** How the condition puts users into ranges as another product does; empty if it has a percentage only. */
export const bucketingOf = (group: JsonObject): JsonObject[] => objects(group['bucketing']);

/** Whether users are hashed as another product does, which SDKs that evaluate locally cannot. */
export const hasVendorBucketing = (filters: JsonObject): boolean =>
  groupsOf(filters).some((group) => bucketingOf(group).length > 0);

export const rangesOf = (step: JsonObject): JsonObject[] => objects(step['ranges']);

const sizeOf = ({ from, to }: JsonObject): number => Number(to) - Number(from);

/** The percentage of all users that are in ranges of the step: those that `counts`. */
export const coverageOf = (step: JsonObject, counts: (range: JsonObject) => boolean): number =>
  (100 *
    rangesOf(step)
      .filter(counts)
      .reduce((sum, range) => sum + sizeOf(range), 0)) /
  Number(step['of']);

/** The percentage of all users that get a value other than false. */
export const bucketingCoverage = (steps: readonly JsonObject[]): number =>
  roundPercentage(steps.reduce((part, step) => (part * coverageOf(step, isNotFalse)) / 100, 100));

/** Of a range: whoever is in it gets the flag. */
export const isNotFalse = ({ value }: JsonObject): boolean => value !== false;

/** Without the traces of floating-point arithmetic. */
export const roundPercentage = (percentage: number): number => Math.round(percentage * 1e9) / 1e9;

export const propertiesOf = (group: JsonObject): JsonObject[] => objects(group['properties']);

export function variantsOf(filters: JsonObject): JsonObject[] {
  const { multivariate } = filters;
  return isJsonObject(multivariate) ? objects(multivariate['variants']) : [];
}

/** The property conditions of all groups. */
export const allProperties = (filters: JsonObject): JsonObject[] =>
  [...groupsOf(filters), ...objects(filters['super_groups']), ...objects(filters['holdout_groups'])].flatMap(
    propertiesOf,
  );

/** One group without properties, for persons. Variants do not matter. */
export function isSimple(filters: JsonObject): boolean {
  const groups = groupsOf(filters);
  const [only] = groups;
  return (
    groups.length === 1 &&
    only !== undefined &&
    propertiesOf(only).length === 0 &&
    (filters['aggregation_group_type_index'] ?? null) === null &&
    (only['aggregation_group_type_index'] ?? null) === null
  );
}

/**
 * The rollout percentage of a simple flag as an integer, which typed clients need; null if it is not set, or the flag is
 * not simple. A fraction never becomes 0 or 100: nobody and everybody would be wrong. The filters have the exact value.
 */
export function simpleRollout(filters: JsonObject): number | null {
  const rollout = isSimple(filters) ? groupsOf(filters)[0]?.['rollout_percentage'] : null;
  if (typeof rollout !== 'number') return null;
  return Number.isInteger(rollout) ? rollout : Math.min(99, Math.max(1, Math.round(rollout)));
}

const reachesEverybody = (group: JsonObject): boolean =>
  propertiesOf(group).length === 0 && (group['rollout_percentage'] ?? 100) === 100 && bucketingOf(group).length === 0;

/** Whether everybody gets the same value, so that the flag could be removed from the code. */
export function isFullyRolledOut(filters: JsonObject): boolean {
  const special = ['super_groups', 'holdout_groups', 'holdout', 'feature_enrollment'];
  if (special.some((name) => hasContent(filters[name]))) return false;
  const groups = groupsOf(filters);
  const variants = variantsOf(filters);
  if (variants.length === 0) return groups.some(reachesEverybody);
  const [first] = groups;
  if (first === undefined || !reachesEverybody(first)) return false;
  return Boolean(first['variant']) || variants.some((variant) => variant['rollout_percentage'] === 100);
}

const hasContent = (value: Json | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
