import type { Feature } from '../feature.ts';
import type { GroupApiDeps } from './api/deps.ts';
import { groupRoutes } from './api/group-routes.ts';

export const groupsFeature: Feature<GroupApiDeps> = { name: 'groups', api: groupRoutes };
