import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import type { SubscriptionApiDeps } from './api/deps.ts';
import { subscriptionRoutes } from './api/subscription-routes.ts';
import { leaveRoutes } from './public/leave-routes.ts';
import { DigestSchedule } from './send-digests.ts';
import { subscriptionStore } from './store/subscription-store.ts';

interface SubscriptionFeatureDeps extends SubscriptionApiDeps {
  log: Logger;
  lagMs(): Promise<number>;
}

/** Digests: dashboards and insights that are sent on a schedule. */
export const subscriptionsFeature: Feature<SubscriptionFeatureDeps> = {
  name: 'subscriptions',
  api: subscriptionRoutes,
  pages: leaveRoutes,
  stores: { subscriptions: subscriptionStore },
  projectTables: ['subscriptions'],
  leaderTasks: (deps) => [new DigestSchedule({ ...deps, logger: deps.log, publicUrl: deps.config.publicUrl })],
};
