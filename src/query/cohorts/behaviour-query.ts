import { type Behaviour, type BehaviourEvent, eventsOfBehaviour } from '../../core/cohorts/criteria.ts';
import { EventQuery, type FindCohorts } from '../event-query.ts';
import type { EventStatement } from '../event-statement.ts';
import type { EventMatcher } from '../filters/action-step-sql.ts';
import { loadActionSteps } from '../filters/project-actions.ts';
import type { QueryDeps } from '../query-deps.ts';

/** A statement about the events of a behaviour, in which `e.person_id` is the current person. */
export interface BehaviourStatement {
  statement: EventStatement;
  /** What has to hold for an event of the behaviour; actions are replaced by their steps. */
  matcherOf(event: BehaviourEvent): EventMatcher;
}

export async function prepareBehaviour(
  deps: QueryDeps,
  projectId: number,
  behaviour: Behaviour,
  findCohorts: FindCohorts,
): Promise<BehaviourStatement> {
  const matchers = new Map<BehaviourEvent, EventMatcher>();
  for (const event of eventsOfBehaviour(behaviour)) matchers.set(event, await toMatcher(deps, projectId, event));
  const parts = { filters: [], entities: [...matchers.values()], hasActors: false, persons: 'current' } as const;
  const query = await EventQuery.prepare(deps, projectId, parts, findCohorts);
  return { statement: query.begin(), matcherOf: (event) => matchers.get(event) ?? NO_EVENTS };
}

const NO_EVENTS: EventMatcher = { kind: 'action', steps: [], filter: { kind: 'and', filters: [] } };

async function toMatcher({ metadata }: QueryDeps, projectId: number, event: BehaviourEvent): Promise<EventMatcher> {
  const { filter } = event;
  if (event.kind === 'event') return { kind: 'event', id: event.event, filter };
  return { kind: 'action', steps: await loadActionSteps(metadata, projectId, event.action), filter };
}
