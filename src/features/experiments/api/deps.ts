import type { QueryDeps } from '../../../query/query-deps.ts';
import type { FlagRouteDeps } from '../../flags/api/deps.ts';
import type { experimentWorkerMethods } from '../worker-methods.ts';

export interface ExperimentApiDeps extends FlagRouteDeps, QueryDeps {
  metadata: FlagRouteDeps['metadata'];
  clock: FlagRouteDeps['clock'];
  config: FlagRouteDeps['config'] & { queryTimeoutSeconds: number };
  /** On the worker thread. */
  measureExperiment: ReturnType<typeof experimentWorkerMethods>['measureExperiment'];
}
