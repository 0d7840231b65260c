import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import { cohortPersonRoutes } from './api/cohort-person-routes.ts';
import { cohortRoutes } from './api/cohort-routes.ts';
import type { CohortApiDeps } from './api/deps.ts';
import { CohortCalculations } from './cohort-calculations.ts';

interface CohortFeatureDeps extends CohortApiDeps {
  log: Logger;
  /** On the worker thread: going through all persons must not delay requests. */
  calculateCohort(projectId: number, cohortId: number): Promise<void>;
}

export const cohortsFeature: Feature<CohortFeatureDeps> = {
  name: 'cohorts',
  api(app, deps) {
    cohortRoutes(app, deps);
    cohortPersonRoutes(app, deps);
  },
  leaderTasks: ({ metadata, clock, log, calculateCohort, results }) => [
    new CohortCalculations({
      metadata,
      clock,
      logger: log,
      async calculate(projectId, cohortId) {
        await calculateCohort(projectId, cohortId);
        results.invalidate(projectId);
      },
    }),
  ],
};
