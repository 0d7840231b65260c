import type { Feature } from '../feature.ts';
import type { InsightApiDeps } from './api/deps.ts';
import { insightRoutes } from './api/insight-routes.ts';

export const insightsFeature: Feature<InsightApiDeps> = {
  name: 'insights',
  api: insightRoutes,
};
