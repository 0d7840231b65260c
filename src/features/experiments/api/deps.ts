import type { QueryDeps } from '../../../query/query-deps.ts';
import type { CohortDeps } from '../../cohorts/cohorts.ts';
import type { FlagRouteDeps } from '../../flags/api/deps.ts';
import type { ResultCache } from '../../insights/result-cache.ts';
import type { experimentWorkerMethods } from '../worker-methods.ts';

/** On the worker thread. */
type ExperimentMethods = ReturnType<typeof experimentWorkerMethods>;

export interface ExperimentApiDeps extends FlagRouteDeps, QueryDeps, Pick<CohortDeps, 'calculations'> {
  metadata: FlagRouteDeps['metadata'];
  clock: FlagRouteDeps['clock'];
  config: FlagRouteDeps['config'] & { queryTimeoutSeconds: number };
  experiments: ExperimentMethods;
  /** How long accepted events have been waiting to be stored. */
  lagMs(): Promise<number>;
  /** Cached answers. */
  results: ResultCache;
}
