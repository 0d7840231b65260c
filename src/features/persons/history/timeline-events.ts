/** Which of a person's events an insight asks for: by their names, or as one of an action's. */
import type { BehaviourEvent } from '../../../core/cohorts/criteria.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import type { Clock } from '../../../lib/clock.ts';
import { prepareBehaviours } from '../../../query/cohorts/behaviour-scope.ts';
import { findCohortUuids } from '../../../query/cohorts/cohort-filter.ts';
import type { CohortQueryDeps } from '../../../query/cohorts/cohort-members.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import type { TimelineRange } from '../rules/timeline-range.ts';

/** Events by their names, and those of actions by the actions' numbers. */
export interface EventSelection {
  events: readonly string[];
  actions: readonly number[];
}

export interface EventSelectionDeps extends CohortQueryDeps {
  clock: Clock;
}

interface EventSelectionScope extends TimelineRange {
  person: Pick<StoredPerson, 'projectId' | 'uuid'>;
}

/** Says which of the person's events count. */
export async function eventSelector(
  deps: EventSelectionDeps,
  scope: EventSelectionScope,
  counted: EventSelection | null,
): Promise<(event: { uuid: string; event: string }) => boolean> {
  if (counted === null) return () => true;
  const names = new Set(counted.events);
  const done = counted.actions.length === 0 ? new Set() : await uuidsOfActions(deps, scope, counted.actions);
  return ({ event, uuid }) => names.has(event) || done.has(uuid);
}

async function uuidsOfActions(
  deps: EventSelectionDeps,
  { person, from, to }: EventSelectionScope,
  actions: readonly number[],
): Promise<Set<string>> {
  const { projectId } = person;
  const deeds = actions.map((action): BehaviourEvent => ({ kind: 'action', action, filter: NO_FILTER }));
  const findCohorts = (filter: Filter) => findCohortUuids(deps, projectId, filter, deps.clock.now());
  const scopeFor = await prepareBehaviours(deps, { projectId, behaviourEvents: deeds, findCohorts });
  const sql = deps.dialect.newStatement('e');
  const { source, isBehaviour } = scopeFor(sql);
  const rows = await deps.events.query(
    `select e.uuid from ${source}
    where e.project_id = ${sql.param(projectId)} and e.person_id = cast(${sql.param(person.uuid)} as UUID)
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(to + 1)}
      and (${deeds.map(isBehaviour).join(' or ')})`,
    sql.values,
  );
  return new Set(rows.map((row) => String(row['uuid'])));
}
