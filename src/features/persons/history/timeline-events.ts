/** Selects a person's events by name or by action. */
import { NO_FILTER } from '../../../core/filters/property-filter.ts';
import type { EventMatcher } from '../../../query/filters/action-step-sql.ts';
import { loadActionSteps } from '../../../query/filters/project-actions.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import type { TimelineRange } from '../rules/timeline-range.ts';

/** Event names and action ids. */
export interface EventSelection {
  events: readonly string[];
  actions: readonly number[];
}

interface EventSelectionScope extends TimelineRange {
  person: Pick<StoredPerson, 'projectId' | 'uuid'>;
}

/** Returns a function that says whether an event is selected; null selects all. */
export async function eventSelector(
  deps: QueryDeps,
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
  deps: QueryDeps,
  { person, from, to }: EventSelectionScope,
  actions: readonly number[],
): Promise<Set<string>> {
  const { projectId } = person;
  const entities: EventMatcher[] = [];
  for (const id of actions) {
    entities.push({ kind: 'action', steps: await loadActionSteps(deps.metadata, projectId, id), filter: NO_FILTER });
  }
  const parts = { filters: [], entities, hasActors: false, persons: 'current' } as const;
  const statement = (await prepareEventQuery(deps, projectId, parts)).begin();
  const rows = await statement.query(
    `select e.uuid ${statement.from()}
    where ${statement.inProject()} and ${statement.during({ from, until: to + 1 })}
      and e.person_id = cast(${statement.sql.param(person.uuid)} as UUID)
      and (${entities.map((entity) => statement.isOf(entity)).join(' or ')})`,
  );
  return new Set(rows.map((row) => String(row['uuid'])));
}
