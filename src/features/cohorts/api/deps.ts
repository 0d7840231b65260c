import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { CohortDeps } from '../cohorts.ts';

export interface ApiDeps extends RouteDeps, QueryDeps, CohortDeps {}
