import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import type { PersonApiDeps } from './api/deps.ts';
import { personChangeRoutes } from './api/person-change-routes.ts';
import { personHistoryRoutes } from './api/person-history-routes.ts';
import { personIdentityRoutes } from './api/person-identity-routes.ts';
import { personPropertyRoutes } from './api/person-property-routes.ts';
import { personRoutes } from './api/person-routes.ts';
import { personTimelineRoutes } from './api/person-timeline-routes.ts';
import { Erasure, type ErasureDeps } from './delete/erasure.ts';

interface PersonFeatureDeps
  extends PersonApiDeps,
    Pick<ErasureDeps, 'purgeLog' | 'purgeStores' | 'removeLeftovers' | 'scanFiles'> {
  config: PersonApiDeps['config'] & { eraseAfterSeconds: number };
  log: Logger;
}

export const personsFeature: Feature<PersonFeatureDeps> = {
  name: 'persons',
  api(app, deps) {
    personIdentityRoutes(app, deps);
    personRoutes(app, deps);
    personChangeRoutes(app, deps);
    personPropertyRoutes(app, deps);
    personHistoryRoutes(app, deps);
    personTimelineRoutes(app, deps);
  },
  leaderTasks: (deps) => [
    new Erasure({
      deletions: deps.metadata.deletions,
      reassign: () => deps.reassigner.reassign(),
      purgeLog: () => deps.purgeLog(),
      purgeStores: () => deps.purgeStores(),
      removeLeftovers: () => deps.removeLeftovers(),
      query: (sql, values) => deps.events.query(sql, values),
      scanFiles: (texts) => deps.scanFiles(texts),
      batchDelayMs: deps.config.eraseAfterSeconds * 1000,
      clock: deps.clock,
      logger: deps.log,
    }),
  ],
};
