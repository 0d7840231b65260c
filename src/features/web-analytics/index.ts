import type { Feature } from '../feature.ts';
import type { WebApiDeps } from './api/deps.ts';
import { webRoutes } from './api/web-routes.ts';

export const webAnalyticsFeature: Feature<WebApiDeps> = {
  name: 'web-analytics',
  api: webRoutes,
};
