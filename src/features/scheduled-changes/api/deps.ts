import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { FlagDeps } from '../../flags/manage/flags.ts';

export interface ScheduledChangeApiDeps extends RouteDeps, FlagDeps {
  config: RouteDeps['config'];
}
