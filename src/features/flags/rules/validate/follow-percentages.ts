import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { jsonEqual } from '../../../../core/json/json-equal.ts';
import { changeRollout, NotOneRollout } from '../change-rollout.ts';
import { bucketingCoverage, bucketingOf, groupsOf } from '../filters-shape.ts';
import { invalidFlagFilters } from './filter-errors.ts';

/**
 * Filters as they were sent, with the ranges of imported conditions whose percentage alone was changed: they grow or shrink
 * with it. `before` is stored; `after` need not be valid.
 */
export function followPercentages(before: JsonObject, after: JsonObject): JsonObject {
  const { groups } = after;
  const known = groupsOf(before).map(bucketingOf);
  if (!Array.isArray(groups) || known.every((steps) => steps.length === 0)) return after;
  return { ...after, groups: groups.map((group, at) => followPercentage(group, at, known)) };
}

function followPercentage(group: Json, at: number, known: readonly JsonObject[][]): Json {
  if (!isJsonObject(group)) return group;
  const { bucketing = null, rollout_percentage: percentage } = group;
  const steps = known.find((one) => one.length > 0 && jsonEqual(one, bucketing));
  if (steps === undefined || typeof percentage !== 'number' || percentage < 0 || percentage > 100) return group;
  if (Math.abs(bucketingCoverage(steps) - percentage) < 1e-6) return group;
  try {
    return changeRollout(group, percentage);
  } catch (error) {
    if (!(error instanceof NotOneRollout)) throw error;
    throw invalidFlagFilters(
      `Condition ${at + 1} puts users into ranges as another product does, and its percentage cannot become ${percentage} %: ${error.message}. Rehash the flag first, or change its ranges.`,
      'not_one_rollout',
    );
  }
}
