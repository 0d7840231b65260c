import type { Feature } from '../feature.ts';
import type { ExperimentApiDeps } from './api/deps.ts';
import { experimentDetailRoutes } from './api/experiment-detail-routes.ts';
import { experimentRoutes } from './api/experiment-routes.ts';
import { experimentStore } from './store/experiment-store.ts';

export const experimentsFeature: Feature<ExperimentApiDeps> = {
  name: 'experiments',
  api(app, deps) {
    experimentRoutes(app, deps);
    experimentDetailRoutes(app, deps);
  },
  stores: { experiments: experimentStore },
  projectTables: ['experiments'],
};
