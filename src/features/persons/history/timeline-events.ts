/** Which of a person's events an insight asks for: by their names, or as one of an action's. */
import type { Deed } from '../../../core/cohorts/criteria.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import type { DateRange } from '../../../core/time/date-range.ts';
import type { Clock } from '../../../lib/clock.ts';
import { prepareDeeds } from '../../../query/cohorts/behaviour-scope.ts';
import { findCohortUuids } from '../../../query/cohorts/cohort-filter.ts';
import type { CohortDeps } from '../../../query/cohorts/cohort-members.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';

/** Events by their names, and those of actions by the actions' numbers. */
export interface Counted {
  events: readonly string[];
  actions: readonly number[];
}

export interface CountingDeps extends CohortDeps {
  clock: Clock;
}

export interface CountingScope extends DateRange {
  person: Pick<StoredPerson, 'projectId' | 'uuid'>;
}

/** Says which of the person's events count. */
export async function countingEvents(
  deps: CountingDeps,
  scope: CountingScope,
  counted: Counted | null,
): Promise<(event: { uuid: string; event: string }) => boolean> {
  if (counted === null) return () => true;
  const names = new Set(counted.events);
  const done = counted.actions.length === 0 ? new Set() : await uuidsOfActions(deps, scope, counted.actions);
  return ({ event, uuid }) => names.has(event) || done.has(uuid);
}

async function uuidsOfActions(
  deps: CountingDeps,
  { person, from, to }: CountingScope,
  actions: readonly number[],
): Promise<Set<string>> {
  const { projectId } = person;
  const deeds = actions.map((action): Deed => ({ kind: 'action', action, filter: NO_FILTER }));
  const findCohorts = (filter: Filter) => findCohortUuids(deps, projectId, filter, deps.clock.now());
  const scopeFor = await prepareDeeds(deps, { projectId, deeds, findCohorts });
  const sql = deps.dialect.begin('e');
  const { source, isDeed } = scopeFor(sql);
  const rows = await deps.events.query(
    `select e.uuid from ${source}
    where e.project_id = ${sql.param(projectId)} and e.person_id = cast(${sql.param(person.uuid)} as UUID)
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(to + 1)}
      and (${deeds.map(isDeed).join(' or ')})`,
    sql.values,
  );
  return new Set(rows.map((row) => String(row['uuid'])));
}
