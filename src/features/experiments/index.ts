import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import type { ExperimentApiDeps } from './api/deps.ts';
import { experimentDetailRoutes } from './api/experiment-detail-routes.ts';
import { experimentRoutes } from './api/experiment-routes.ts';
import { holdoutRoutes } from './api/holdout-routes.ts';
import { lookAtExperiment } from './api/look-at-experiment.ts';
import { measureGuardrails } from './api/measure-guardrails.ts';
import { planRoutes } from './api/plan-routes.ts';
import { savedMetricRoutes } from './api/saved-metric-routes.ts';
import { DailyLooks } from './guard/daily-looks.ts';
import { ExperimentSchedule } from './guard/experiment-schedule.ts';
import { Guardrails } from './guard/guardrails.ts';
import { experimentStore } from './store/experiment-store.ts';
import { findingStore } from './store/finding-store.ts';
import { holdoutStore } from './store/holdout-store.ts';
import { savedMetricStore } from './store/saved-metric-store.ts';

interface ExperimentFeatureDeps extends ExperimentApiDeps {
  log: Logger;
}

export const experimentsFeature: Feature<ExperimentFeatureDeps> = {
  name: 'experiments',
  api(app, deps) {
    experimentRoutes(app, deps);
    experimentDetailRoutes(app, deps);
    holdoutRoutes(app, deps);
    savedMetricRoutes(app, deps);
    planRoutes(app, deps);
  },
  stores: {
    experiments: experimentStore,
    holdouts: holdoutStore,
    savedMetrics: savedMetricStore,
    experimentFindings: findingStore,
  },
  projectTables: ['experiments', 'experimentHoldouts', 'experimentSavedMetrics', 'experimentFindings'],
  leaderTasks: (deps) => [
    new ExperimentSchedule({ ...deps, logger: deps.log }),
    new DailyLooks({ ...deps, logger: deps.log, look: (experiment) => lookAtExperiment(deps, experiment) }),
    new Guardrails({
      ...deps,
      logger: deps.log,
      measureGuardrails: (experiment) => measureGuardrails(deps, experiment),
    }),
  ],
};
