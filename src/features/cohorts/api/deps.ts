import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { CohortDeps } from '../cohorts.ts';

export interface CohortApiDeps extends RouteDeps, QueryDeps, CohortDeps {}
