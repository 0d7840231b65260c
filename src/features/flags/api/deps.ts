import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { EventStoreDeps } from '../../../query/query-deps.ts';
import type { DecideDeps } from '../decide/decide.ts';
import type { FlagSnapshots } from '../decide/flag-snapshots.ts';
import type { FlagDeps } from '../manage/flags.ts';
import type { FlagStreams } from '../streams/flag-streams.ts';
import type { FlagLastUses } from '../usage/last-uses.ts';

export interface FlagRouteDeps extends RouteDeps, FlagDeps, EventStoreDeps {
  config: RouteDeps['config'];
  flagSnapshots: FlagSnapshots;
  decide: DecideDeps;
  flagStreams: FlagStreams;
  flagLastUses: Pick<FlagLastUses, 'find'>;
}
