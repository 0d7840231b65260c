/** Criteria of stored cohorts, and which cohorts depend on others. */
import { Failure } from '../errors.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { type Criteria, referencedActions, referencedCohorts } from './criteria.ts';
import { effectiveFilters } from './legacy-groups.ts';
import { parseCriteria } from './parse-criteria.ts';
import { dependentCohortIds, type References, reachableFrom } from './references.ts';

interface StoredCohort {
  id: number;
  filters: JsonObject;
  groups: readonly Json[];
  isStatic: boolean;
}

export const criteriaOf = (cohort: Pick<StoredCohort, 'filters' | 'groups'>): Criteria =>
  parseCriteria(effectiveFilters(cohort));

/** Null for static cohorts, and for criteria that cannot be read. */
export function readableCriteria(cohort: StoredCohort): Criteria {
  if (cohort.isStatic) return null;
  try {
    return criteriaOf(cohort);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

export const cohortReferences = (cohorts: readonly StoredCohort[]): References =>
  new Map(cohorts.map((cohort) => [cohort.id, referencedCohorts(readableCriteria(cohort))]));

/** The cohorts that refer to one of them, directly or through others. */
export function dependentCohorts<C extends StoredCohort>(cohorts: readonly C[], id: number): C[] {
  const ids = new Set(dependentCohortIds(id, cohortReferences(cohorts)));
  return cohorts.filter((cohort) => ids.has(cohort.id));
}

/** The cohorts that refer to an action, directly or through others. */
export function cohortsUsingAction<C extends StoredCohort>(cohorts: readonly C[], actionId: number): C[] {
  const using = new Set(
    cohorts.filter((cohort) => referencedActions(readableCriteria(cohort)).includes(actionId)).map(({ id }) => id),
  );
  const references = cohortReferences(cohorts);
  return cohorts.filter(({ id }) => [...reachableFrom([id], references)].some((one) => using.has(one)));
}
