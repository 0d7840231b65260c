import { parseCohortId } from '../../../core/filters/cohort-filter.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';

/** The cohorts that a flag's conditions refer to. */
export function cohortsOfFlag(filters: Json): number[] {
  if (Array.isArray(filters)) return filters.flatMap(cohortsOfFlag);
  if (!isJsonObject(filters)) return [];
  if (filters['type'] !== 'cohort') return Object.values(filters).flatMap(cohortsOfFlag);
  return [filters['value'] ?? []].flat().flatMap((value) => parseCohortId(value) ?? []);
}
