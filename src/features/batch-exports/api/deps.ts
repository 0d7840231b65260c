import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { BatchExportDeps } from '../batch-exports.ts';

export interface BatchExportApiDeps extends RouteDeps, Omit<BatchExportDeps, 'config'> {
  config: RouteDeps['config'] & BatchExportDeps['config'];
}
