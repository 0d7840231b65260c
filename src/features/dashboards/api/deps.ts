import type { Ids } from '../../../lib/ids.ts';
import type { InsightApiDeps } from '../../insights/api/deps.ts';

export interface DashboardApiDeps extends InsightApiDeps {
  ids: Ids;
}
