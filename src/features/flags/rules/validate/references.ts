/** References of a flag's filters to cohorts and other flags: all must exist and be usable. */

import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { parseId } from '../../../../core/parse-id.ts';
import { allProperties } from '../filters-shape.ts';
import { criteriaIn } from '../local-evaluation/cohort-tree.ts';
import { invalidFlagFilters, pythonText } from './filter-errors.ts';

interface KnownCohort {
  id: number;
  name: string;
  isStatic: boolean;
  filters: JsonObject;
  groups: Json[];
}

interface KnownFlag {
  id: number;
  key: string;
  active: boolean;
  filters: JsonObject;
}

/** `cohorts` are those of the project that are not deleted. */
export function checkCohorts(filters: JsonObject, cohorts: readonly KnownCohort[]): void {
  const known = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  for (const property of allProperties(filters)) {
    if (property['type'] === 'cohort') checkCohort(property['value'], known, new Set());
  }
}

function checkCohort(value: Json | undefined, known: ReadonlyMap<number, KnownCohort>, seen: Set<number>): void {
  const cohort = known.get(parseId(value) ?? -1);
  if (!cohort) throw invalidFlagFilters(`Cohort with id ${pythonText(value)} does not exist`, 'cohort_does_not_exist');
  if (cohort.isStatic || seen.has(cohort.id)) return;
  seen.add(cohort.id);
  const criteria = [...criteriaIn(cohort.filters['properties']), ...cohort.groups.flatMap(legacyCriteria)];
  if (criteria.some(isAboutEvents)) {
    throw invalidFlagFilters(
      `Cohort '${cohort.name}' with filters on events cannot be used in feature flags.`,
      'behavioral_cohort_found',
    );
  }
  for (const leaf of criteria) if (isCohort(leaf)) checkCohort(leaf['value'], known, seen);
}

const isCohort = ({ type }: JsonObject): boolean => type === 'cohort' || type === 'precalculated-cohort';

/** The old form counts actions and events without a type. */
const isAboutEvents = ({ type, action_id, event_id }: JsonObject): boolean =>
  type === 'behavioral' || (action_id ?? null) !== null || (event_id ?? null) !== null;

const legacyCriteria = (group: Json): JsonObject[] =>
  isJsonObject(group) ? [group, ...criteriaIn(group['properties'])] : [];

/** Ids of the flags that some filters depend on. */
export const flagDependencies = (filters: JsonObject): number[] =>
  allProperties(filters).flatMap((property) => (property['type'] === 'flag' ? (parseId(property['key']) ?? []) : []));

/** `others`: the flags of the project that are not deleted. `flag`: what is about to be saved; its id is null if it is new. */
export function checkDependencies(
  flag: { id: number | null; key: string; filters: JsonObject },
  others: readonly KnownFlag[],
): void {
  const known = new Map(others.filter(({ id }) => id !== flag.id).map((other) => [other.id, other]));
  for (const id of flagDependencies(flag.filters)) {
    if (id === flag.id) throw invalidFlagFilters(`Feature flag '${flag.key}' cannot depend on itself`);
    const other = known.get(id);
    if (!other) throw invalidFlagFilters(`Flag dependency references non-existent flag with ID ${id}`);
    if (!other.active) {
      throw invalidFlagFilters(
        `Cannot create dependency on disabled flag '${other.key}' (ID: ${id}). Flag dependencies must reference active flags only.`,
      );
    }
    const path = flag.id === null ? null : pathTo(flag.id, other, known, new Set());
    if (path) throw invalidFlagFilters(`Circular dependency detected: ${[flag.key, ...path, flag.key].join(' → ')}`);
  }
}

/** Keys of the flags on a path from `from` to `target`, without the target; null if there is none. */
function pathTo(
  target: number,
  from: KnownFlag,
  known: ReadonlyMap<number, KnownFlag>,
  seen: Set<number>,
): string[] | null {
  seen.add(from.id);
  for (const id of flagDependencies(from.filters)) {
    if (id === target) return [from.key];
    const next = known.get(id);
    const rest = next && !seen.has(id) ? pathTo(target, next, known, seen) : null;
    if (rest) return [from.key, ...rest];
  }
  return null;
}

/** The flags that depend on the flag with this id. */
export const dependentFlags = <F extends KnownFlag>(id: number, flags: readonly F[]): F[] =>
  flags.filter((flag) => flag.id !== id && flagDependencies(flag.filters).includes(id));
