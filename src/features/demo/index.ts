import type { Feature } from '../feature.ts';
import { demoDataRoutes } from './api/demo-data-routes.ts';
import type { DemoApiDeps } from './api/deps.ts';

export const demoFeature: Feature<DemoApiDeps> = { name: 'demo', api: demoDataRoutes };
