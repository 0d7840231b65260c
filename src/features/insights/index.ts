import type { Feature } from '../feature.ts';
import { correlationRoutes } from './api/correlation-routes.ts';
import type { InsightApiDeps } from './api/deps.ts';
import { funnelRoutes } from './api/funnel-routes.ts';
import { insightPeopleRoutes } from './api/insight-person-routes.ts';
import { insightRoutes } from './api/insight-routes.ts';
import { pathRoutes } from './api/path-routes.ts';

export const insightsFeature: Feature<InsightApiDeps> = {
  name: 'insights',
  api(app, deps) {
    insightRoutes(app, deps);
    insightPeopleRoutes(app, deps);
    funnelRoutes(app, deps);
    correlationRoutes(app, deps);
    pathRoutes(app, deps);
  },
};
