import type { JsonObject } from '../../../../core/json/json.ts';
import { allProperties } from '../filters-shape.ts';
import type { CohortDefinition } from '../flag.ts';
import { cohortTree, criteriaIn, isCohortProperty, referencedCohortId } from './cohort-tree.ts';

/**
 * The criteria of all cohorts that flags refer to, directly or through other cohorts, by id. Static cohorts are left out:
 * their members are not sent, and the SDK asks the server.
 */
export function collectReferencedCohorts(
  filters: readonly JsonObject[],
  cohorts: ReadonlyMap<number, CohortDefinition>,
): Record<string, JsonObject> {
  const found: Record<string, JsonObject> = {};
  const visit = (properties: readonly JsonObject[]): void => {
    for (const id of properties.filter(isCohortProperty).map(referencedCohortId)) {
      const cohort = id === null ? undefined : cohorts.get(id);
      if (!cohort || cohort.isStatic || Object.hasOwn(found, String(id))) continue;
      const tree = cohortTree(cohort) ?? { type: 'OR', values: [] };
      found[String(id)] = tree;
      visit(criteriaIn(tree));
    }
  };
  for (const one of filters) visit(allProperties(one));
  return found;
}
