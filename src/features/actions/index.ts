import type { Feature } from '../feature.ts';
import { actionRoutes } from './api/action-routes.ts';
import type { ApiDeps } from './api/deps.ts';

export const actionsFeature: Feature<ApiDeps> = { name: 'actions', api: actionRoutes };
