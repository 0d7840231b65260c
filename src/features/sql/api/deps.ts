import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { ExperimentApiDeps } from '../../experiments/api/deps.ts';
import type { RunningQueries } from '../running-queries.ts';
import type { SqlQueries } from '../sql-queries.ts';

/** Queries about experiments are answered here too. */
export interface SqlApiDeps extends ExperimentApiDeps {
  clock: Clock;
  ids: Ids;
  sql: SqlQueries;
  runningQueries: RunningQueries;
}
