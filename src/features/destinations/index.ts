import type { Logger } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { Feature } from '../feature.ts';
import type { DestinationApiDeps } from './api/deps.ts';
import { destinationRoutes } from './api/destination-routes.ts';
import { reportDestinations } from './destination-metrics.ts';
import { DestinationSender, type DestinationSenderDeps } from './send/destination-sender.ts';
import { destinationStore } from './store/destination-store.ts';

interface DestinationFeatureDeps extends DestinationApiDeps, Pick<DestinationSenderDeps, 'queryableBefore'> {
  eventQueries: QueryDeps;
  log: Logger;
  metrics: Metrics;
}

export const destinationsFeature: Feature<DestinationFeatureDeps> = {
  name: 'destinations',
  api(app, deps) {
    reportDestinations(deps.metrics.registry, deps.metadata, deps.clock);
    destinationRoutes(app, deps);
  },
  stores: { destinations: destinationStore },
  projectTables: ['destinationMasks', 'destinationLog', 'destinationCounts'],
  leaderTasks: ({ eventQueries, secretKey, queryableBefore, log, config }) => [
    new DestinationSender({
      ...eventQueries,
      secretKey,
      queryableBefore,
      logger: log,
      publicUrl: config.publicUrl,
      isPrivateAllowed: config.webhookAllowPrivate,
    }),
  ],
};
