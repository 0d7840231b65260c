import type { RouteDeps } from '../../../http/api/route-deps.ts';

export interface AuditApiDeps extends RouteDeps {}
