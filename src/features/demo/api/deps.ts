import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { DemoData } from '../demo-data.ts';

export interface DemoApiDeps extends RouteDeps {
  demo: Pick<DemoData, 'start' | 'remove' | 'progress'>;
}
