import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import type { ExperimentApiDeps } from './api/deps.ts';
import { experimentDetailRoutes } from './api/experiment-detail-routes.ts';
import { experimentRoutes } from './api/experiment-routes.ts';
import { holdoutRoutes } from './api/holdout-routes.ts';
import { measureGuardrails } from './api/measure-guardrails.ts';
import { ExperimentSchedule } from './guard/experiment-schedule.ts';
import { Guardrails } from './guard/guardrails.ts';
import { experimentStore } from './store/experiment-store.ts';
import { holdoutStore } from './store/holdout-store.ts';

interface ExperimentFeatureDeps extends ExperimentApiDeps {
  log: Logger;
}

export const experimentsFeature: Feature<ExperimentFeatureDeps> = {
  name: 'experiments',
  api(app, deps) {
    experimentRoutes(app, deps);
    experimentDetailRoutes(app, deps);
    holdoutRoutes(app, deps);
  },
  stores: { experiments: experimentStore, holdouts: holdoutStore },
  projectTables: ['experiments', 'experimentHoldouts'],
  leaderTasks: (deps) => [
    new ExperimentSchedule({ ...deps, logger: deps.log }),
    new Guardrails({
      ...deps,
      logger: deps.log,
      measureGuardrails: (experiment) => measureGuardrails(deps, experiment),
    }),
  ],
};
