import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { DecideDeps } from '../decide/decide.ts';
import type { FlagSnapshots } from '../decide/flag-snapshots.ts';
import type { FlagDeps } from '../manage/flags.ts';

export interface FlagRouteDeps extends RouteDeps, FlagDeps {
  flagSnapshots: FlagSnapshots;
  decide: DecideDeps;
}
