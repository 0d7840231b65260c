import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { DeletePersonDeps } from '../delete/delete-person.ts';

export interface PersonApiDeps extends RouteDeps, QueryDeps, DeletePersonDeps {}
