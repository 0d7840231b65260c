import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Mailer } from '../../lib/mailer.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Feature } from '../feature.ts';
import { deliveryRoutes } from './api/delivery-routes.ts';
import type { DeliveryApiDeps } from './api/deps.ts';
import { reportDeliveries } from './delivery-metrics.ts';
import { DeliverySender } from './delivery-sender.ts';
import { deliveryStore } from './store/delivery-store.ts';

interface DeliveryFeatureDeps extends Omit<DeliveryApiDeps, 'config'> {
  metadata: MetadataStore;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  mailer: Mailer;
  config: DeliveryApiDeps['config'] & { webhookAllowPrivate: boolean; mailAtLeastOnce: boolean };
}

export const deliveriesFeature: Feature<DeliveryFeatureDeps> = {
  name: 'deliveries',
  api(app, deps) {
    reportDeliveries(deps.metrics.registry, deps.metadata, deps.clock);
    deliveryRoutes(app, deps);
  },
  stores: { deliveries: deliveryStore },
  projectTables: ['deliveries', 'pausedTargets'],
  leaderTasks: ({ metadata, clock, log, mailer, config }) => [
    new DeliverySender({
      metadata,
      clock,
      mailer,
      logger: log,
      isPrivateAllowed: config.webhookAllowPrivate,
      sendsMailAtLeastOnce: config.mailAtLeastOnce,
    }),
  ],
};
