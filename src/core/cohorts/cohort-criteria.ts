/** The criteria of cohorts as they are kept. */
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

/** What decides who is in: nothing in a static cohort, and nothing that can be read in a broken one. */
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

/** Those among the cohorts that ask for one of them, directly or through others. */
export function dependentCohorts<C extends StoredCohort>(cohorts: readonly C[], id: number): C[] {
  const ids = new Set(dependentCohortIds(id, cohortReferences(cohorts)));
  return cohorts.filter((cohort) => ids.has(cohort.id));
}

/** Those among the cohorts that ask for an action, directly or through others. */
export function cohortsUsingAction<C extends StoredCohort>(cohorts: readonly C[], actionId: number): C[] {
  const asking = new Set(
    cohorts.filter((cohort) => referencedActions(readableCriteria(cohort)).includes(actionId)).map(({ id }) => id),
  );
  const references = cohortReferences(cohorts);
  return cohorts.filter(({ id }) => [...reachableFrom([id], references)].some((one) => asking.has(one)));
}
