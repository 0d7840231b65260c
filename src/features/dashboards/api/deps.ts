import type { Ids } from '../../../lib/ids.ts';
import type { ApiDeps as InsightApiDeps } from '../../insights/api/deps.ts';

export interface ApiDeps extends InsightApiDeps {
  ids: Ids;
}
