import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

/** What somebody gets who is held out. */
export const holdoutVariant = (id: number): string => `holdout-${id}`;

/** The groups of a holdout as they were sent; flags take the first one, and none with properties. */
export function readHoldoutGroups(given: Json): JsonObject[] {
  const [group, ...more] = Array.isArray(given) ? given : [];
  if (group === undefined || !isJsonObject(group) || more.length > 0)
    throw invalid('filters', 'filters is a list with one group: [{"properties": [], "rollout_percentage": 10}].');
  const { properties = [], rollout_percentage: share = null } = group;
  if (Array.isArray(properties) && properties.length > 0)
    throw invalid('filters', 'A holdout is a share of all people: it cannot have properties.');
  if (typeof share !== 'number' || !(share >= 0 && share <= 100))
    throw invalid('filters', 'rollout_percentage is the share of people who are held out, from 0 to 100.');
  return [{ properties: [], rollout_percentage: share }];
}

/** The filters of a flag with these people held out; null: nobody. */
export function withHoldout(
  filters: JsonObject,
  holdout: { id: number; filters: readonly JsonObject[] } | null,
): JsonObject {
  const { holdout_groups: _, holdout: __, ...rest } = filters;
  if (holdout === null) return rest;
  return {
    ...rest,
    holdout_groups: holdout.filters.map((group) => ({ ...group, variant: holdoutVariant(holdout.id) })),
  };
}

/** Whether a flag has this holdout, in either form. */
export function hasHoldout({ holdout, holdout_groups: groups }: JsonObject, id: number): boolean {
  if (isJsonObject(holdout)) return String(holdout['id']) === String(id);
  const [first] = Array.isArray(groups) ? groups : [];
  return isJsonObject(first) && first['variant'] === holdoutVariant(id);
}
