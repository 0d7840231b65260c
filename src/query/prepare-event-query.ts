import { CohortMembers } from './cohorts/cohort-members.ts';
import { EventQuery, type EventQueryParts } from './event-query.ts';
import type { QueryDeps } from './query-deps.ts';

/** Looks up everything that a query needs, the members of cohorts as of now among it. */
export const prepareEventQuery = (deps: QueryDeps, projectId: number, parts: EventQueryParts): Promise<EventQuery> => {
  const members = new CohortMembers(deps, projectId, deps.clock.now());
  return EventQuery.prepare(deps, projectId, parts, (filter) => members.uuidsIn(filter));
};
