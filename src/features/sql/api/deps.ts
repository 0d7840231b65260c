import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { RunningQueries } from '../running-queries.ts';
import type { SqlQueries } from '../sql-queries.ts';

export interface SqlApiDeps extends RouteDeps {
  clock: Clock;
  ids: Ids;
  sql: SqlQueries;
  runningQueries: RunningQueries;
}
