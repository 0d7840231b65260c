import type { Feature } from '../feature.ts';
import { actionRoutes } from './api/action-routes.ts';
import type { ActionApiDeps } from './api/deps.ts';

export const actionsFeature: Feature<ActionApiDeps> = { name: 'actions', api: actionRoutes };
