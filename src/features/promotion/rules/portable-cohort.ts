import { effectiveFilters } from '../../../core/cohorts/legacy-groups.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { sortKeys } from './portable-flag.ts';
import { idsToNames, type NamesById } from './references.ts';

/** A cohort with names instead of ids. A static one is a list of persons, so only its name can be carried over. */
export type PortableCohort = {
  name: string;
  description: string;
  is_static: boolean;
  filters: JsonObject;
};

interface StoredCohort {
  name: string;
  description: string;
  isStatic: boolean;
  filters: JsonObject;
  groups: readonly Json[];
}

export const toPortableCohort = (cohort: StoredCohort, names: NamesById): PortableCohort => ({
  name: cohort.name,
  description: cohort.description,
  is_static: cohort.isStatic,
  filters: cohort.isStatic ? {} : (sortKeys(idsToNames(effectiveFilters(cohort), names)) as JsonObject),
});
