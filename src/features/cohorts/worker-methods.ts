import type { QueryDeps } from '../../query/query-deps.ts';
import { calculateCohort } from './calculate-cohort.ts';

/** What cohorts do on the worker thread. */
export const cohortWorkerMethods = (deps: QueryDeps) => ({
  /** Finds the members of a cohort anew. */
  calculateCohort: (projectId: number, cohortId: number): Promise<void> => calculateCohort(deps, projectId, cohortId),
});
