/**
 * One SQL statement about events, read as `e`. Its conditions are true or false, never null. Events of a distinct id
 * that belongs to no person are counted, but have no actor.
 */
import type { Actor } from '../core/actor.ts';
import { readText } from '../core/expressions/check-expression.ts';
import type { CohortFilter } from '../core/filters/cohort-filter.ts';
import { NUMBER_PATTERN } from '../core/filters/matches.ts';
import type { Filter, PropertyFilter } from '../core/filters/property-filter.ts';
import type { Range } from '../core/time/range.ts';
import { PERSON_PROPERTIES, type SqlBuilder } from '../stores/events/dialect.ts';
import type { SqlRow } from '../stores/events/event-store.ts';
import { type CohortUuids, cohortSql } from './cohorts/cohort-sql.ts';
import { eventFieldSql, propertySql } from './expressions/event-field-sql.ts';
import { conditionSql, type ExpressionScope, expressionSql } from './expressions/expression-sql.ts';
import { type GroupValues, groupValueJoins, groupValueSql } from './expressions/group-values.ts';
import { type EventMatcher, eventNameSql, stepsSql } from './filters/action-step-sql.ts';
import { type FilterScope, filterSql } from './filters/filter-sql.ts';
import { needsPerson } from './filters/needs-person.ts';
import { type OwnerMatches, personSql } from './filters/person-filter.ts';
import { type RelatedFilters, relatedSql } from './filters/related-filter.ts';
import { type GroupPropertyValues, groupPropertyValuesSql } from './group-property-values.ts';
import { personsSql } from './persons-sql.ts';
import type { EventStoreDeps } from './query-deps.ts';
import { type SessionSettings, sessionSql } from './sessions/session-values-sql.ts';

/**
 * How a statement gets at the persons of events.
 * - `joined`: as `p`, which is null for events without a person. A filter on persons leaves those events out.
 * - `current`: `e.person_id` is the person of now; `p` is joined only where a filter reads person properties.
 * - `listed`: the same, but the persons that match a filter are listed beforehand, so nothing is copied or joined. For
 *   short lists of events; an event without a person is treated as one of a person without properties.
 */
export type PersonAccess = 'joined' | 'current' | 'listed';

/** What was looked up for all statements of a query. */
export interface EventLookups {
  projectId: number;
  persons: PersonAccess;
  /** Whether statements need persons at all. */
  hasPersons: boolean;
  /** Whether a filter or breakdown is about persons, so that knowing their ids is not enough. */
  filtersPersons: boolean;
  /** Patterns that the engine accepts; others match nothing. */
  patterns: ReadonlySet<string>;
  personMatches: OwnerMatches;
  related: RelatedFilters;
  cohorts: CohortUuids;
  groupValues: GroupPropertyValues;
  expressions: { now: number; timezone: string; groupValues: GroupValues };
}

export class EventStatement {
  readonly sql: SqlBuilder;
  readonly projectId: number;
  readonly #events: EventStoreDeps['events'];
  readonly #lookups: EventLookups;
  readonly #personColumn: string;

  constructor({ events, dialect }: EventStoreDeps, lookups: EventLookups) {
    this.sql = dialect.newStatement('e');
    this.projectId = lookups.projectId;
    this.#events = events;
    this.#lookups = lookups;
    this.#personColumn = lookups.persons === 'joined' ? 'p.person_id' : 'e.person_id';
  }

  /** Runs it. */
  query(text: string): Promise<SqlRow[]> {
    return this.#events.query(text, this.sql.values);
  }

  /** Whether a filter or breakdown is about persons, so that knowing their ids is not enough. */
  get filtersPersons(): boolean {
    // Statements that know only the ids of persons do not join the properties of groups either.
    return this.#lookups.filtersPersons || this.#lookups.expressions.groupValues.size > 0;
  }

  /** `from …`. Persons cost a join, so they are joined only where they are needed. */
  from(): string {
    return `${this.#fromPersons()} ${this.#groupJoins()}`;
  }

  #fromPersons(): string {
    const { persons, hasPersons } = this.#lookups;
    if (!hasPersons) return persons === 'current' ? 'from events e' : 'from event_rows e';
    if (persons === 'joined') return `from event_rows e left ${this.#personJoin()}`;
    return persons === 'listed' ? 'from events e' : `from events e ${CURRENT_PERSON_JOIN}`;
  }

  /** `from … where …`: the events of a range that have an actor, with `join` joined to them. */
  fromActors(actor: Actor, range: Range, join = ''): string {
    const isPerson = actor.kind === 'person';
    return `from event_rows e
      ${isPerson ? '' : 'left '}${this.#personJoin()}
      ${this.#groupJoins()}
      ${join}
      where ${this.inProject()} and ${this.during(range)}
        and ${isPerson ? 'true' : `coalesce(${actorColumn(actor)}, '') <> ''`}`;
  }

  /**
   * The same for some persons: `numbered` is a subquery of each `actor` and its `number`, which is `p.number`. One join,
   * and engines read only the rows of these persons if they are few.
   */
  fromPersons(range: Range, numbered: string): string {
    return `from event_rows e
      ${this.#personJoin(numbered)}
      ${this.#groupJoins()}
      where ${this.inProject()} and ${this.during(range)}`;
  }

  /** The same for the persons of a table, which has the columns of `keysOfPersonsSql`. */
  fromKeys(range: Range, table: string): string {
    const withProperties = (): string => `(select r.*, k.key as key, k.number as number from ${table} k
      join person_rows r on r.project_id = ${this.sql.param(this.projectId)} and r.person_id = k.person_id)`;
    return `from event_rows e
      join ${this.filtersPersons ? withProperties() : table} p on p.key = e.person_id
      ${this.#groupJoins()}
      where ${this.inProject()} and ${this.during(range)}`;
  }

  inProject(): string {
    return `e.project_id = ${this.sql.param(this.projectId)}`;
  }

  during({ from, until }: Range): string {
    return `(e.timestamp >= ${this.sql.time(from)} and e.timestamp < ${this.sql.time(until)})`;
  }

  matches(filter: Filter): string {
    const condition = filterSql(this.sql, filter, this.#scope());
    const needsJoin = this.#lookups.persons === 'joined' && needsPerson(filter);
    return needsJoin ? `(p.person_id is not null and ${condition})` : condition;
  }

  /** Whether an event is one of these, by its name or a step of the action, and by the entity's own filter. */
  isOf(entity: EventMatcher): string {
    const isKind = entity.kind === 'event' ? eventNameSql(this.sql, entity.id) : this.fitsStep(entity.steps);
    return `(${isKind} and ${this.matches(entity.filter)})`;
  }

  fitsStep(steps: Parameters<typeof stepsSql>[1]): string {
    const { patterns } = this.#lookups;
    return stepsSql(this.sql, steps, { patterns, matches: (filter) => this.matches(filter) });
  }

  isMember(cohort: number | 'all'): string {
    if (cohort === 'all') return '(p.person_id is not null)';
    return `(p.person_id is not null and ${this.#inCohort({ kind: 'cohort', id: cohort, negated: false })})`;
  }

  /** The values of a group property, as a table of `group_key` and `value`. */
  groupValues(key: string): string {
    return groupPropertyValuesSql(this.sql, this.#lookups.groupValues, key);
  }

  /** Null where no person or group acted. */
  actor(actor: Actor): string {
    return actor.kind === 'person' ? 'p.person_id' : `nullif(${actorColumn(actor)}, '')`;
  }

  get sessions(): SessionSettings {
    return this.#lookups.related.sessions;
  }

  session(): string {
    return sessionSql(this.sql);
  }

  /** The number that a property of the event holds; null where it holds none. */
  number(property: string): string {
    return this.numberIn(`coalesce(${this.sql.property(property)}, '')`);
  }

  numberIn(text: string): string {
    return this.sql.number(`replace(${text}, ' ', '')`, NUMBER_PATTERN);
  }

  /** The text of an expression; empty where it has no value. */
  expressionText(text: string): string {
    return `coalesce(${expressionSql(this.sql, readText(text, 'events'), this.#expressionScope())}, '')`;
  }

  #groupJoins(): string {
    return groupValueJoins(this.sql, this.#lookups.expressions.groupValues);
  }

  #expressionScope(): ExpressionScope {
    const { sql } = this;
    const { patterns, expressions } = this.#lookups;
    return {
      ...expressions,
      patterns,
      column: (name) => eventFieldSql(name, this.#personColumn),
      property: (property) =>
        property.owner === 'group'
          ? groupValueSql(expressions.groupValues, property)
          : propertySql(sql, property, property.owner === 'person' ? PERSON_PROPERTIES : undefined),
    };
  }

  #personJoin(numbered: string | null = null): string {
    return `join ${personsSql(this.sql, this.projectId, numbered)} p on p.key = e.person_id`;
  }

  #scope(): FilterScope {
    return {
      patterns: this.#lookups.patterns,
      related: (filter) => this.#relatedSql(filter),
      cohort: (filter) => this.#inCohort(filter),
      expression: ({ condition }) => conditionSql(this.sql, condition, this.#expressionScope()),
    };
  }

  /** A filter on something else than the event's own properties. */
  #relatedSql(filter: PropertyFilter): string | undefined {
    const { sql } = this;
    const { persons, personMatches, patterns, related } = this.#lookups;
    if (persons === 'listed')
      return personSql(sql, personMatches, filter, 'e.person_id') ?? relatedSql(sql, related, filter);
    if (filter.owner === 'person') return filterSql(sql, filter, { patterns, json: PERSON_PROPERTIES });
    return relatedSql(sql, related, filter) ?? (persons === 'joined' ? distinctIdSql(sql, filter) : undefined);
  }

  #inCohort(filter: CohortFilter): string {
    return cohortSql(this.sql, this.#lookups.cohorts, filter, this.#personColumn);
  }
}

const CURRENT_PERSON_JOIN = 'join person_rows p on p.project_id = e.project_id and p.person_id = e.person_id';

/** The search for persons looks for part of a distinct id as if it were a property of the event. */
function distinctIdSql(sql: SqlBuilder, { key, operator, values }: PropertyFilter): string | undefined {
  if (key !== 'distinct_id' || operator !== 'icontains' || values.length === 0) return undefined;
  return `(${values.map((value) => sql.containsIgnoringCase('e.distinct_id', value)).join(' or ')})`;
}

/** The id of a person, or the key of a group, which may be empty. */
export const actorColumn = (actor: Actor): string =>
  actor.kind === 'person' ? 'p.person_id' : `e.group_${Number(actor.index)}`;
