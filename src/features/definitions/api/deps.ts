import type { AskedName } from '../../../core/events/asked-name.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { DefinitionDeps } from '../definitions.ts';

export interface ApiDeps extends RouteDeps, QueryDeps, DefinitionDeps {
  /** How often insights asked for names in thirty days. */
  usage: {
    inThirtyDays(
      projectId: number,
      of: Pick<AskedName, 'kind' | 'groupTypeIndex'>,
    ): Promise<ReadonlyMap<string, number>>;
  };
}
