import type { Feature } from '../feature.ts';
import { dashboardRoutes } from './api/dashboard-routes.ts';
import type { DashboardApiDeps } from './api/deps.ts';
import { savedInsightRoutes } from './api/saved-insight-routes.ts';
import { dashboardStore } from './store/dashboard-store.ts';
import { savedInsightStore } from './store/saved-insight-store.ts';

export const dashboardsFeature: Feature<DashboardApiDeps> = {
  name: 'dashboards',
  api(app, deps) {
    savedInsightRoutes(app, deps);
    dashboardRoutes(app, deps);
  },
  // Created by migration 9 of the platform, together with tables of other features: it is applied everywhere, and a
  // migration that was applied is not split.
  stores: { dashboards: dashboardStore, insights: savedInsightStore },
  projectTables: ['dashboards', 'dashboardTiles', 'insights', 'insightViews'],
};
