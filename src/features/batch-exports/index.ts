import type { Logger } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { Feature } from '../feature.ts';
import { batchExportRoutes } from './api/batch-export-routes.ts';
import type { BatchExportApiDeps } from './api/deps.ts';
import { reportBatchExports } from './batch-export-metrics.ts';
import { BatchExportRunner, type BatchExportRunnerDeps } from './run/batch-export-runner.ts';
import { batchExportStore } from './store/batch-export-store.ts';

type RunnerParts = 'ingest' | 'writeParquet' | 'processedBefore' | 'whenProcessed' | 'clockSkewMs';

interface BatchExportFeatureDeps extends Omit<BatchExportApiDeps, 'config'>, Pick<BatchExportRunnerDeps, RunnerParts> {
  config: BatchExportApiDeps['config'];
  eventQueries: QueryDeps;
  /** For files that are being written. */
  exportFolder: string;
  log: Logger;
  metrics: Metrics;
}

export const batchExportsFeature: Feature<BatchExportFeatureDeps> = {
  name: 'batch-exports',
  api(app, deps) {
    reportBatchExports(deps.metrics.registry, deps.metadata);
    batchExportRoutes(app, deps);
  },
  stores: { batchExports: batchExportStore },
  projectTables: ['batchExportParts', 'batchExportBackfills', 'batchExportRuns'],
  leaderTasks: (deps) => [
    new BatchExportRunner({
      ...deps.eventQueries,
      ingest: deps.ingest,
      ids: deps.ids,
      writeParquet: deps.writeParquet,
      processedBefore: deps.processedBefore,
      whenProcessed: deps.whenProcessed,
      clockSkewMs: deps.clockSkewMs,
      secretKey: deps.secretKey,
      logger: deps.log,
      settings: deps.config,
      workFolder: deps.exportFolder,
    }),
  ],
};
