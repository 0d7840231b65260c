import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import type { ScheduledChangeApiDeps } from './api/deps.ts';
import { scheduledChangeRoutes } from './api/scheduled-change-routes.ts';
import { scheduledChangesTask } from './run/run-due-changes.ts';
import { scheduledChangeStore } from './store/scheduled-change-store.ts';

export const scheduledChangesFeature: Feature<ScheduledChangeApiDeps & { log: Logger }> = {
  name: 'scheduled changes',
  api: scheduledChangeRoutes,
  stores: { scheduledChanges: scheduledChangeStore },
  projectTables: ['scheduledChanges'],
  leaderTasks: (deps) => [scheduledChangesTask({ ...deps, logger: deps.log })],
};
