import type { QueryDeps } from '../../query/query-deps.ts';
import type { Page } from '../../stores/metadata/page.ts';
import {
  type EventDefinitionQuery,
  listEventDefinitions,
  listPropertyDefinitions,
  type PropertyDefinitionQuery,
} from './list-definitions.ts';

type Counts = ReadonlyMap<string, number>;

/** What definitions do on the worker thread. */
export const definitionWorkerMethods = (deps: QueryDeps) => ({
  listEventDefinitions: (projectId: number, query: EventDefinitionQuery, usage: Counts, page: Page) =>
    listEventDefinitions(deps, projectId, query, usage, page),
  listPropertyDefinitions: (projectId: number, query: PropertyDefinitionQuery, usage: Counts, page: Page) =>
    listPropertyDefinitions(deps, projectId, query, usage, page),
});
