import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import type { CohortDefinition } from '../flag.ts';

/** The criteria of a cohort as SDKs read them, whichever form they are stored in. Null where there are none. */
export function cohortTree({ filters, groups }: CohortDefinition): JsonObject | null {
  const tree = isJsonObject(filters) ? filters['properties'] : undefined;
  if (isJsonObject(tree)) return tree;
  if (!Array.isArray(groups) || groups.length === 0) return null;
  const values = groups.filter(isJsonObject).map(({ properties }) => ({ type: 'AND', values: properties ?? [] }));
  return { type: 'OR', values };
}

/** Every property in a tree of criteria, in the order of mention. */
export function criteriaIn(tree: Json): JsonObject[] {
  if (!isJsonObject(tree)) return [];
  const { values } = tree;
  return Array.isArray(values) ? values.flatMap(criteriaIn) : [tree];
}

export const isCohortProperty = ({ type }: JsonObject): boolean => type === 'cohort';

/** The cohort that a property of a flag or a cohort asks for; null where it names none. */
export function referencedCohortId(property: JsonObject): number | null {
  const id = Number(property['value']);
  return Number.isSafeInteger(id) ? id : null;
}
