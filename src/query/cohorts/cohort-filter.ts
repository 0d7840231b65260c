/**
 * Cohorts in questions: first their members are found, then the question names them. To the engine of events that is one
 * bound value for each cohort, whatever the criteria; its events are read through the overrides, so merged persons count
 * as who they are now. Breakdowns ask with the same condition, once for each cohort.
 */
import { cohortsIn, type Filter } from '../../core/filters/property-filter.ts';
import type { IdSet } from '../../lib/id-set.ts';
import { type CohortDeps, CohortMembers } from './cohort-members.ts';
import type { CohortUuids } from './cohort-sql.ts';

/** By the cohort's id; null where there is no such cohort. */
export type CohortSets = ReadonlyMap<number, IdSet | null>;

/** The members of every cohort that a filter asks for, by their numbers. */
export async function findCohorts(
  deps: CohortDeps,
  projectId: number,
  filter: Filter,
  now: number,
): Promise<CohortSets> {
  const members = new CohortMembers(deps, projectId, now);
  const sets = new Map<number, IdSet | null>();
  for (const { id } of cohortsIn(filter)) sets.set(id, await members.of(id));
  return sets;
}

/** The same by UUID, as events know persons. */
export const findCohortUuids = (
  deps: CohortDeps,
  projectId: number,
  filter: Filter,
  now: number,
): Promise<CohortUuids> => new CohortMembers(deps, projectId, now).uuidsIn(filter);
