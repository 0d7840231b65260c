/** Selects a person's events by name or by action. */
import type { BehaviourEvent } from '../../../core/cohorts/criteria.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import type { Clock } from '../../../lib/clock.ts';
import { prepareBehaviours } from '../../../query/cohorts/behaviour-scope.ts';
import { findCohortUuids } from '../../../query/cohorts/cohort-filter.ts';
import type { CohortQueryDeps } from '../../../query/cohorts/cohort-members.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import type { TimelineRange } from '../rules/timeline-range.ts';

/** Event names and action ids. */
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

/** Returns a function that says whether an event is selected; null selects all. */
export async function eventSelector(
  deps: EventSelectionDeps,
  scope: EventSelectionScope,
  selection: EventSelection | null,
): Promise<(event: { uuid: string; event: string }) => boolean> {
  if (selection === null) return () => true;
  const names = new Set(selection.events);
  const { actions } = selection;
  const uuids = actions.length === 0 ? new Set() : await uuidsOfActions(deps, scope, actions);
  return ({ event, uuid }) => names.has(event) || uuids.has(uuid);
}

async function uuidsOfActions(
  deps: EventSelectionDeps,
  { person, from, to }: EventSelectionScope,
  actions: readonly number[],
): Promise<Set<string>> {
  const { projectId } = person;
  const behaviourEvents = actions.map((action): BehaviourEvent => ({ kind: 'action', action, filter: NO_FILTER }));
  const findCohorts = (filter: Filter) => findCohortUuids(deps, projectId, filter, deps.clock.now());
  const scopeFor = await prepareBehaviours(deps, { projectId, behaviourEvents, findCohorts });
  const sql = deps.dialect.newStatement('e');
  const { source, isBehaviour } = scopeFor(sql);
  const rows = await deps.events.query(
    `select e.uuid from ${source}
    where e.project_id = ${sql.param(projectId)} and e.person_id = cast(${sql.param(person.uuid)} as UUID)
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(to + 1)}
      and (${behaviourEvents.map(isBehaviour).join(' or ')})`,
    sql.values,
  );
  return new Set(rows.map((row) => String(row['uuid'])));
}
