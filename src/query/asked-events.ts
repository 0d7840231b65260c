/**
 * The events that a question is about, as SQL: read as `e`, their persons as `p`. Patterns are tried out and cohorts
 * found beforehand; one of these serves every statement of a question.
 */
import type { Entity } from '../core/actions/entity.ts';
import type { Actor } from '../core/actor.ts';
import type { Filter, PropertyFilter } from '../core/filters/property-filter.ts';
import type { Range } from '../core/time/range.ts';
import type { Clock } from '../lib/clock.ts';
import { PERSON_PROPERTIES, type SqlBuilder } from '../stores/events/dialect.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import { findCohortUuids } from './cohorts/cohort-filter.ts';
import type { CohortQueryDeps } from './cohorts/cohort-members.ts';
import { type CohortUuids, cohortSql } from './cohorts/cohort-sql.ts';
import { eventNameSql, filtersOfStep, stepsSql } from './filters/action-step-sql.ts';
import { needsPerson } from './filters/asks-for-person.ts';
import { type FilterScope, filterSql } from './filters/filter-sql.ts';
import { findRelated, type RelatedFilters, relatedSql } from './filters/related-filter.ts';
import { validPatterns } from './filters/valid-patterns.ts';
import { personsSql } from './people-sql.ts';

export interface AskedDeps extends CohortQueryDeps {
  events: Pick<EventStore, 'query' | 'queryColumns'>;
  clock: Clock;
  /** Ends work that is done here and not by the engine, whose statements hear of it by themselves. */
  signal?: AbortSignal | undefined;
}

export class AskedEvents {
  readonly projectId: number;
  private readonly patterns: ReadonlySet<string>;
  private readonly cohorts: CohortUuids;
  private readonly outside: RelatedFilters;

  private constructor(outside: RelatedFilters, cohorts: CohortUuids) {
    this.projectId = outside.projectId;
    this.patterns = outside.patterns;
    this.cohorts = cohorts;
    this.outside = outside;
  }

  /** Of a question with these filters, the entities' own among them; about events within a day of `reach`. */
  static async prepare(
    deps: AskedDeps,
    projectId: number,
    filters: readonly Filter[],
    reach: Range | null = null,
  ): Promise<AskedEvents> {
    const all: Filter = { kind: 'and', filters };
    await deps.mirrorPersons(projectId);
    const cohorts = await findCohortUuids(deps, projectId, all, deps.clock.now());
    const patterns = await validPatterns(deps, all);
    return new AskedEvents(await findRelated(deps, { projectId, patterns, sessionRange: reach }, all), cohorts);
  }

  /** `from … where …`: the project's events in the range, of those actors that there are; `also` is joined to them. */
  source(sql: SqlBuilder, actor: Actor, range: Range, also = ''): string {
    const join = actor.kind === 'person' ? 'join' : 'left join';
    const isSomebody = actor.kind === 'person' ? 'true' : `coalesce(${actorColumn(actor)}, '') <> ''`;
    return `from event_rows e
      ${join} ${personsSql(sql, this.projectId)} p on p.key = e.person_id
      ${also}
      where ${this.during(sql, range)} and ${isSomebody}`;
  }

  during(sql: SqlBuilder, { from, until }: Range): string {
    return `(e.project_id = ${sql.param(this.projectId)}
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(until)})`;
  }

  /** A filter on persons leaves out events of nobody, whatever it says about them. */
  holds(sql: SqlBuilder, filter: Filter): string {
    const { patterns, cohorts, outside } = this;
    const scope: FilterScope = {
      patterns,
      related: (leaf) =>
        leaf.owner === 'person'
          ? filterSql(sql, leaf, { patterns, json: PERSON_PROPERTIES })
          : (relatedSql(sql, outside, leaf) ?? distinctIdSql(sql, leaf)),
      cohort: (leaf) => cohortSql(sql, cohorts, leaf, 'p.person_id'),
    };
    const condition = filterSql(sql, filter, scope);
    return needsPerson(filter) ? `(p.person_id is not null and ${condition})` : condition;
  }

  isOf(sql: SqlBuilder, entity: Entity): string {
    const own = this.holds(sql, entity.filter);
    if (entity.kind === 'event') return `(${eventNameSql(sql, entity.id)} and ${own})`;
    const { patterns } = this;
    return `(${stepsSql(sql, entity.steps, { patterns, holds: (filter) => this.holds(sql, filter) })} and ${own})`;
  }
}

/** Whoever searches for a distinct id finds it, though it is none of the event's properties. */
function distinctIdSql(sql: SqlBuilder, { key, operator, values }: PropertyFilter): string | undefined {
  if (key !== 'distinct_id' || operator !== 'icontains' || values.length === 0) return undefined;
  return `(${values.map((value) => sql.containsIgnoringCase('e.distinct_id', value)).join(' or ')})`;
}

/** Who acts in an event: the id of a person, or the key of a group. */
export const actorColumn = (actor: Actor): string =>
  actor.kind === 'person' ? 'p.person_id' : `e.group_${Number(actor.index)}`;

/** Every filter of an entity, to be looked into beforehand. */
export const filtersOfEntity = (entity: Entity): Filter[] =>
  entity.kind === 'event' ? [entity.filter] : [entity.filter, ...entity.steps.flatMap(filtersOfStep)];
