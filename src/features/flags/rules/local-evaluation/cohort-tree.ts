import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { parseId } from '../../../../core/parse-id.ts';
import type { CohortDefinition } from '../flag.ts';

/** The criteria of a cohort in the form that SDKs read, whatever form is stored; null if there are none. */
export function cohortTree({ filters, groups }: CohortDefinition): JsonObject | null {
  const tree = isJsonObject(filters) ? filters['properties'] : undefined;
  if (isJsonObject(tree)) return tree;
  if (!Array.isArray(groups) || groups.length === 0) return null;
  const values = groups.filter(isJsonObject).map(({ properties }) => ({ type: 'AND', values: properties ?? [] }));
  return { type: 'OR', values };
}

/** The leaves of a tree of criteria, in order. */
export function criteriaIn(tree: Json | undefined): JsonObject[] {
  if (Array.isArray(tree)) return tree.flatMap(criteriaIn);
  if (!isJsonObject(tree)) return [];
  return Array.isArray(tree['values']) ? criteriaIn(tree['values']) : [tree];
}

export const isCohortProperty = ({ type }: JsonObject): boolean => type === 'cohort';

/** The cohort that a property of a flag or a cohort refers to; null if it names none. */
export const referencedCohortId = ({ value }: JsonObject): number | null => parseId(value);
