import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { DestinationDeps } from '../destinations.ts';

export interface DestinationApiDeps extends RouteDeps, Omit<DestinationDeps, 'config'> {
  config: RouteDeps['config'] & DestinationDeps['config'];
}
