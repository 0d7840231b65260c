import type { RouteDeps } from '../../../http/api/route-deps.ts';

export interface DeliveryApiDeps extends RouteDeps {}
