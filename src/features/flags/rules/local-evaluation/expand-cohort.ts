/**
 * SDKs that know nothing of cohorts can still evaluate a flag by itself if its cohort is written out as plain property
 * conditions. That is possible where the cohort is a choice of lists of person properties: each list becomes a condition
 * of the flag. Anything else stays as it is, and such an SDK asks the server.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { propertiesOf } from '../filters-shape.ts';
import type { CohortDefinition } from '../flag.ts';
import { cohortTree, isCohortProperty, referencedCohortId } from './cohort-tree.ts';

type Cohorts = ReadonlyMap<number, CohortDefinition>;

/** More conditions than this are not written out: nobody reads them, and a flag is sent on every poll. */
const MAX_CONDITIONS = 100;

/** The filters of a flag that asks for one cohort alone, with that cohort written out; else as they were. */
export function expandCohort(filters: JsonObject, cohorts: Cohorts): JsonObject {
  const groups = filters['groups'];
  if (!Array.isArray(groups) || !groups.every(isJsonObject)) return filters;
  const asked = new Set(groups.flatMap(propertiesOf).filter(isCohortProperty).map(referencedCohortId));
  if (asked.size !== 1) return filters;
  const expanded = groups.flatMap((group) => expandGroup(group, cohorts) ?? [null]);
  return expanded.includes(null) ? filters : { ...filters, groups: expanded };
}

/** Null where the group cannot be said without the cohort. */
function expandGroup(group: JsonObject, cohorts: Cohorts): JsonObject[] | null {
  const properties = propertiesOf(group);
  const [asks] = properties.filter(isCohortProperty);
  if (asks === undefined) return [group];
  const { variant = null } = group;
  if (properties.length > 1 || variant !== null || isNegated(asks)) return null;
  const cohort = cohorts.get(referencedCohortId(asks) ?? Number.NaN);
  const tree = cohort && !cohort.isStatic ? cohortTree(cohort) : null;
  const branches = tree && branchesOf(tree);
  if (!branches || branches.length === 0 || branches.length > MAX_CONDITIONS) return null;
  return branches.map((branch) => ({ ...group, properties: branch }));
}

const isNegated = ({ operator, negation }: JsonObject): boolean => operator === 'not_in' || negation === true;

/** A tree as a choice of lists, each of which must hold wholly. Null where it is none, or asks for more than a person. */
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
  // All of several choices would be a condition for each combination: too many to be worth it.
  return parts.every((part) => part.length === 1) ? [parts.flatMap((part) => part[0] ?? [])] : null;
}
