import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { GroupTypeDeps } from '../group-types.ts';

export interface GroupApiDeps extends RouteDeps, GroupTypeDeps, QueryDeps {
  config: RouteDeps['config'] & { queryTimeoutSeconds: number };
}
