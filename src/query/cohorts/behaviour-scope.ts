/** What has to be known before deeds become SQL: steps of actions read, patterns tried out, cohorts found. */

import type { ActionStep } from '../../core/actions/entity.ts';
import type { Deed } from '../../core/cohorts/criteria.ts';
import { type Filter, leavesOf } from '../../core/filters/property-filter.ts';
import { type InsightSql, PERSON_PROPERTIES } from '../../stores/events/dialect.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { filtersOfStep, nameIs, nameIsOf, stepsSql } from '../filters/action-step-sql.ts';
import { type FilterScope, filterSql } from '../filters/filter-sql.ts';
import { stepsOfAction } from '../filters/project-actions.ts';
import { findOutside, type Outside, outsideSql } from '../filters/related-filter.ts';
import { type Asking, validPatterns } from '../filters/valid-patterns.ts';
import { type CohortUuids, cohortSql } from './cohort-sql.ts';

export interface DeedDeps extends Asking {
  metadata: Pick<MetadataStore, 'actions' | 'groups'>;
  /** Brings the copy of persons beside the events up to date. */
  mirrorPersons(projectId: number): Promise<void>;
}

export interface DeedScope {
  /** What is read as `e`, whose `person_id` is the person of now. */
  source: string;
  /** True for the events that are the deed. */
  isDeed(deed: Deed): string;
  /** True for the events that may be one of these by their names. */
  mayBe(deeds: readonly Deed[]): string;
}

export interface DeedQuestion {
  projectId: number;
  deeds: readonly Deed[];
  /** The members of every cohort that a filter asks for. */
  findCohorts(filter: Filter): Promise<CohortUuids>;
}

/** By the action's number. */
type Steps = ReadonlyMap<number, readonly ActionStep[]>;

export async function prepareDeeds(deps: DeedDeps, question: DeedQuestion): Promise<(sql: InsightSql) => DeedScope> {
  const { projectId, deeds, findCohorts } = question;
  const steps = await stepsOf(deps, projectId, deeds);
  const filters = [...deeds.map(({ filter }) => filter), ...[...steps.values()].flat().flatMap(filtersOfStep)];
  const filter: Filter = { kind: 'and', filters };
  const hasPersons = leavesOf(filter).some(({ owner }) => owner === 'person');
  if (hasPersons) await deps.mirrorPersons(projectId);
  const patterns = await validPatterns(deps, filter);
  const outside = await findOutside(deps, { projectId, patterns, reach: null }, filter);
  const cohorts = await findCohorts(filter);
  // The persons of events are found through the overrides; what they are like costs another join.
  const source = hasPersons
    ? 'events e join person_rows p on p.project_id = e.project_id and p.person_id = e.person_id'
    : 'events e';
  return (sql) => ({ source, ...wordsFor(sql, steps, { outside, cohorts }) });
}

async function stepsOf({ metadata }: DeedDeps, projectId: number, deeds: readonly Deed[]): Promise<Steps> {
  const steps = new Map<number, readonly ActionStep[]>();
  for (const deed of deeds) {
    if (deed.kind === 'action') steps.set(deed.action, await stepsOfAction(metadata, projectId, deed.action));
  }
  return steps;
}

function wordsFor(
  sql: InsightSql,
  steps: Steps,
  { outside, cohorts }: { outside: Outside; cohorts: CohortUuids },
): Pick<DeedScope, 'isDeed' | 'mayBe'> {
  const { patterns } = outside;
  const scope: FilterScope = {
    patterns,
    elsewhere: (leaf) =>
      leaf.owner === 'person'
        ? filterSql(sql, leaf, { patterns, json: PERSON_PROPERTIES })
        : outsideSql(sql, outside, leaf),
    cohort: (leaf) => cohortSql(sql, cohorts, leaf, 'e.person_id'),
  };
  const holds = (filter: Filter): string => filterSql(sql, filter, scope);
  const stepsIn = (action: number): readonly ActionStep[] => steps.get(action) ?? [];
  const isKind = (deed: Deed): string =>
    deed.kind === 'event' ? nameIs(sql, deed.event) : stepsSql(sql, stepsIn(deed.action), { patterns, holds });
  return {
    isDeed: (deed) => `(${isKind(deed)} and ${holds(deed.filter)})`,
    mayBe: (deeds) =>
      nameIsOf(
        sql,
        deeds.map((deed) =>
          deed.kind === 'event' ? { kind: 'event', id: deed.event } : { kind: 'action', steps: stepsIn(deed.action) },
        ),
      ),
  };
}
