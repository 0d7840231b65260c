/**
 * SDKs without support for cohorts can evaluate a flag locally if its cohort is expanded into property conditions. That
 * works for a cohort that is an OR of ANDs of person properties: each AND becomes a condition of the flag. Anything else
 * stays as it is, and such an SDK reference the server.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { propertiesOf } from '../filters-shape.ts';
import type { CohortDefinition } from '../flag.ts';
import { cohortTree, isCohortProperty, referencedCohortId } from './cohort-tree.ts';

type Cohorts = ReadonlyMap<number, CohortDefinition>;

/** Larger cohorts are not expanded: definitions are sent on every poll. */
const MAX_CONDITIONS = 100;

/** Expands the cohort of a flag that refers to exactly one; other filters are returned unchanged. */
export function expandCohort(filters: JsonObject, cohorts: Cohorts): JsonObject {
  const groups = filters['groups'];
  if (!Array.isArray(groups) || !groups.every(isJsonObject)) return filters;
  const cohortIds = new Set(groups.flatMap(propertiesOf).filter(isCohortProperty).map(referencedCohortId));
  if (cohortIds.size !== 1) return filters;
  const expanded = groups.flatMap((group) => expandGroup(group, cohorts) ?? [null]);
  return expanded.includes(null) ? filters : { ...filters, groups: expanded };
}

/** Null if the group cannot be expressed without the cohort. */
function expandGroup(group: JsonObject, cohorts: Cohorts): JsonObject[] | null {
  const properties = propertiesOf(group);
  const [reference] = properties.filter(isCohortProperty);
  if (reference === undefined) return [group];
  const { variant = null } = group;
  if (properties.length > 1 || variant !== null || isNegated(reference)) return null;
  const cohort = cohorts.get(referencedCohortId(reference) ?? Number.NaN);
  const tree = cohort && !cohort.isStatic ? cohortTree(cohort) : null;
  const branches = tree && branchesOf(tree);
  if (!branches || branches.length === 0 || branches.length > MAX_CONDITIONS) return null;
  return branches.map((branch) => ({ ...group, properties: branch }));
}

const isNegated = ({ operator, negation }: JsonObject): boolean => operator === 'not_in' || negation === true;

/** A tree as alternatives, each a list of properties that must all match; null if it has another form. */
function branchesOf(node: Json): JsonObject[][] | null {
  if (!isJsonObject(node)) return null;
  const { type, values } = node;
  if (!Array.isArray(values)) return type === 'person' && !isNegated(node) ? [[node]] : null;
  const parts: JsonObject[][][] = [];
  for (const value of values) {
    const part = branchesOf(value);
    if (part === null) return null;
    parts.push(part);
  }
  if (type === 'OR') return parts.length === 0 ? [[]] : parts.flat();
  if (type !== 'AND') return null;
  if (parts.length === 1) return parts[0] ?? null;
  // An AND of several ORs would need a condition for each combination.
  return parts.every((part) => part.length === 1) ? [parts.flatMap((part) => part[0] ?? [])] : null;
}
