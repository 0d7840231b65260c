/** What has to be known before deeds become SQL: steps of actions read, patterns tried out, cohorts found. */

import type { ActionStep } from '../../core/actions/entity.ts';
import type { BehaviourEvent } from '../../core/cohorts/criteria.ts';
import { type Filter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { PERSON_PROPERTIES, type SqlBuilder } from '../../stores/events/dialect.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { anyEventNameSql, eventNameSql, filtersOfStep, stepsSql } from '../filters/action-step-sql.ts';
import { type FilterScope, filterSql } from '../filters/filter-sql.ts';
import { loadActionSteps } from '../filters/project-actions.ts';
import { findRelated, type RelatedFilters, relatedSql } from '../filters/related-filter.ts';
import { type EventStoreDeps, validPatterns } from '../filters/valid-patterns.ts';
import { type CohortUuids, cohortSql } from './cohort-sql.ts';

export interface DeedDeps extends EventStoreDeps {
  metadata: Pick<MetadataStore, 'actions' | 'groups'>;
  /** Brings the copy of persons beside the events up to date. */
  mirrorPersons(projectId: number): Promise<void>;
}

export interface BehaviourConditions {
  /** What is read as `e`, whose `person_id` is the person of now. */
  source: string;
  /** True for the events that are the deed. */
  isBehaviour(deed: BehaviourEvent): string;
  /** True for the events that may be one of these by their names. */
  mayBeAny(deeds: readonly BehaviourEvent[]): string;
}

interface BehaviourQuestion {
  projectId: number;
  behaviourEvents: readonly BehaviourEvent[];
  /** The members of every cohort that a filter asks for. */
  findCohorts(filter: Filter): Promise<CohortUuids>;
}

/** By the action's number. */
type Steps = ReadonlyMap<number, readonly ActionStep[]>;

export async function prepareBehaviours(
  deps: DeedDeps,
  question: BehaviourQuestion,
): Promise<(sql: SqlBuilder) => BehaviourConditions> {
  const { projectId, behaviourEvents, findCohorts } = question;
  const steps = await stepsOf(deps, projectId, behaviourEvents);
  const filters = [
    ...behaviourEvents.map(({ filter }) => filter),
    ...[...steps.values()].flat().flatMap(filtersOfStep),
  ];
  const filter: Filter = { kind: 'and', filters };
  const hasPersons = propertyFiltersIn(filter).some(({ owner }) => owner === 'person');
  if (hasPersons) await deps.mirrorPersons(projectId);
  const patterns = await validPatterns(deps, filter);
  const outside = await findRelated(deps, { projectId, patterns, sessionRange: null }, filter);
  const cohorts = await findCohorts(filter);
  // The persons of events are found through the overrides; what they are like costs another join.
  const source = hasPersons
    ? 'events e join person_rows p on p.project_id = e.project_id and p.person_id = e.person_id'
    : 'events e';
  return (sql) => ({ source, ...wordsFor(sql, steps, { outside, cohorts }) });
}

async function stepsOf({ metadata }: DeedDeps, projectId: number, deeds: readonly BehaviourEvent[]): Promise<Steps> {
  const steps = new Map<number, readonly ActionStep[]>();
  for (const deed of deeds) {
    if (deed.kind === 'action') steps.set(deed.action, await loadActionSteps(metadata, projectId, deed.action));
  }
  return steps;
}

function wordsFor(
  sql: SqlBuilder,
  steps: Steps,
  { outside, cohorts }: { outside: RelatedFilters; cohorts: CohortUuids },
): Pick<BehaviourConditions, 'isBehaviour' | 'mayBeAny'> {
  const { patterns } = outside;
  const scope: FilterScope = {
    patterns,
    related: (leaf) =>
      leaf.owner === 'person'
        ? filterSql(sql, leaf, { patterns, json: PERSON_PROPERTIES })
        : relatedSql(sql, outside, leaf),
    cohort: (leaf) => cohortSql(sql, cohorts, leaf, 'e.person_id'),
  };
  const holds = (filter: Filter): string => filterSql(sql, filter, scope);
  const stepsIn = (action: number): readonly ActionStep[] => steps.get(action) ?? [];
  const isKind = (deed: BehaviourEvent): string =>
    deed.kind === 'event' ? eventNameSql(sql, deed.event) : stepsSql(sql, stepsIn(deed.action), { patterns, holds });
  return {
    isBehaviour: (deed) => `(${isKind(deed)} and ${holds(deed.filter)})`,
    mayBeAny: (deeds) =>
      anyEventNameSql(
        sql,
        deeds.map((deed) =>
          deed.kind === 'event' ? { kind: 'event', id: deed.event } : { kind: 'action', steps: stepsIn(deed.action) },
        ),
      ),
  };
}
