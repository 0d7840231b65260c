import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { DigestContentDeps } from '../digest-content.ts';
import type { SubscriptionDeps } from '../subscriptions.ts';

export interface SubscriptionApiDeps extends RouteDeps, Omit<SubscriptionDeps, 'config'>, DigestContentDeps {
  config: RouteDeps['config'] & SubscriptionDeps['config'];
}
