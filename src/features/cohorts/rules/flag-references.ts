import { parseCohortId } from '../../../core/filters/cohort-filter.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';

/** Cohorts that a flag's conditions ask for, wherever in them they stand. */
export function cohortsOfFlag(filters: Json): number[] {
  if (Array.isArray(filters)) return filters.flatMap(cohortsOfFlag);
  if (!isJsonObject(filters)) return [];
  if (filters['type'] !== 'cohort') return Object.values(filters).flatMap(cohortsOfFlag);
  return [filters['value'] ?? []].flat().flatMap((value) => parseCohortId(value) ?? []);
}
