/** One number over the events of a time: how many there were, or how many persons sent one. */
import type { Filter } from '../../core/filters/property-filter.ts';
import { propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { findCohortUuids } from '../../query/cohorts/cohort-filter.ts';
import { cohortSql } from '../../query/cohorts/cohort-sql.ts';
import { type FilterScope, filterSql } from '../../query/filters/filter-sql.ts';
import { matchPersons, personSql } from '../../query/filters/person-filter.ts';
import { findRelated, relatedSql } from '../../query/filters/related-filter.ts';
import { validPatterns } from '../../query/filters/valid-patterns.ts';
import type { EventsDeps } from './list-events.ts';

interface EventCountQuestion {
  projectId: number;
  /** Null: any event. */
  event: string | null;
  counts: 'events' | 'persons' | 'persons by day';
  filter: Filter;
  /** From this moment on, up to and with that one. */
  from: number;
  to: number;
}

export async function countEvents(deps: EventsDeps, measure: EventCountQuestion): Promise<number> {
  const { projectId, event, counts, filter } = measure;
  const patterns = await validPatterns(deps, filter);
  const aboutPersons = propertyFiltersIn(filter).filter(({ owner }) => owner === 'person');
  const persons = await matchPersons(deps, projectId, aboutPersons, patterns);
  const cohorts = await findCohortUuids(deps, projectId, filter, deps.clock.now());
  const reach = { from: measure.from, until: measure.to };
  const outside = await findRelated(deps, { projectId, patterns, sessionRange: reach }, filter);
  const sql = deps.dialect.newStatement('e');
  const scope: FilterScope = {
    patterns,
    related: (leaf) => personSql(sql, persons, leaf, 'e.person_id') ?? relatedSql(sql, outside, leaf),
    cohort: (leaf) => cohortSql(sql, cohorts, leaf, 'e.person_id'),
  };
  const conditions = [
    `e.project_id = ${sql.param(projectId)}`,
    `e.timestamp >= ${sql.time(measure.from)}`,
    `e.timestamp <= ${sql.time(measure.to)}`,
    ...(event === null ? [] : [`e.event = ${sql.param(event)}`]),
    filterSql(sql, filter, scope),
  ];
  // Persons are looked through the overrides, which costs a join: only where they matter.
  const source = counts === 'events' && persons.size === 0 && cohorts.size === 0 ? 'event_rows' : 'events';
  const day = counts === 'persons by day' ? `${sql.bucket('e.timestamp', 'day', 'UTC')} as day, ` : '';
  const counted = counts === 'events' ? 'e.uuid' : `distinct ${day}e.person_id`;
  const [row] = await deps.events.query(
    `select count(*) as n from (select ${counted} from ${source} e where ${conditions.join(' and ')}) c`,
    sql.values,
  );
  return Number(row?.['n'] ?? 0);
}
