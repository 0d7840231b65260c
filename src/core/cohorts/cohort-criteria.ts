/** The criteria of cohorts as they are kept. */
import { Failure } from '../errors.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { actionsAskedFor, type Criteria, referencesOf } from './criteria.ts';
import { effectiveFilters } from './legacy-groups.ts';
import { parseCriteria } from './parse-criteria.ts';
import { dependentsOf, type References, reachableFrom } from './references.ts';

export interface KeptCohort {
  id: number;
  filters: JsonObject;
  groups: readonly Json[];
  isStatic: boolean;
}

export const criteriaOf = (cohort: Pick<KeptCohort, 'filters' | 'groups'>): Criteria =>
  parseCriteria(effectiveFilters(cohort));

/** What decides who is in: nothing in a static cohort, and nothing that can be read in a broken one. */
export function readableCriteria(cohort: KeptCohort): Criteria {
  if (cohort.isStatic) return null;
  try {
    return criteriaOf(cohort);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

export const referencesIn = (cohorts: readonly KeptCohort[]): References =>
  new Map(cohorts.map((cohort) => [cohort.id, referencesOf(readableCriteria(cohort))]));

/** Those among the cohorts that ask for one of them, directly or through others. */
export function dependentsIn<C extends KeptCohort>(cohorts: readonly C[], id: number): C[] {
  const ids = new Set(dependentsOf(id, referencesIn(cohorts)));
  return cohorts.filter((cohort) => ids.has(cohort.id));
}

/** Those among the cohorts that ask for an action, directly or through others. */
export function askingForAction<C extends KeptCohort>(cohorts: readonly C[], actionId: number): C[] {
  const asking = new Set(
    cohorts.filter((cohort) => actionsAskedFor(readableCriteria(cohort)).includes(actionId)).map(({ id }) => id),
  );
  const references = referencesIn(cohorts);
  return cohorts.filter(({ id }) => [...reachableFrom([id], references)].some((one) => asking.has(one)));
}
