import type { UsedName } from '../../../core/events/used-name.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { DefinitionDeps } from '../definitions.ts';
import type { definitionWorkerMethods } from '../worker-methods.ts';

type DefinitionWorkerMethods = ReturnType<typeof definitionWorkerMethods>;

export interface DefinitionApiDeps extends RouteDeps, QueryDeps, DefinitionDeps {
  /** How often insights used each name. */
  usage: {
    countsOfLast30Days(
      projectId: number,
      of: Pick<UsedName, 'kind' | 'groupTypeIndex'>,
    ): Promise<ReadonlyMap<string, number>>;
  };
  /** On the worker thread. */
  listEventDefinitions: DefinitionWorkerMethods['listEventDefinitions'];
  listPropertyDefinitions: DefinitionWorkerMethods['listPropertyDefinitions'];
}
