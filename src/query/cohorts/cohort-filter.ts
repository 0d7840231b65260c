/**
 * Cohorts in questions: first their members are found, then the question names them. To the engine of events that is one
 * bound value for each cohort, whatever the criteria; its events are read through the overrides, so merged persons count
 * as who they are now. Breakdowns ask with the same condition, once for each cohort.
 */
import { cohortFiltersIn, type Filter } from '../../core/filters/property-filter.ts';
import type { IdSet } from '../../lib/id-set.ts';
import { CohortMembers, type CohortQueryDeps } from './cohort-members.ts';
import type { CohortUuids } from './cohort-sql.ts';

/** By the cohort's id; null where there is no such cohort. */
type CohortMemberIds = ReadonlyMap<number, IdSet | null>;

/** The members of every cohort that a filter asks for, by their numbers. */
export async function findCohortMemberIds(
  deps: CohortQueryDeps,
  projectId: number,
  filter: Filter,
  now: number,
): Promise<CohortMemberIds> {
  const members = new CohortMembers(deps, projectId, now);
  const sets = new Map<number, IdSet | null>();
  for (const { id } of cohortFiltersIn(filter)) sets.set(id, await members.get(id));
  return sets;
}

/** The same by UUID, as events know persons. */
export const findCohortUuids = (
  deps: CohortQueryDeps,
  projectId: number,
  filter: Filter,
  now: number,
): Promise<CohortUuids> => new CohortMembers(deps, projectId, now).uuidsIn(filter);
