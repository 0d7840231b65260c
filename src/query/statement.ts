/**
 * One statement about events, which it reads as `e`, with their persons as `p` where somebody asks for them. Events
 * whose distinct id belongs to nobody have no `p`: they are counted, but nobody did them.
 */
import type { Entity } from '../core/actions/entity.ts';
import type { Actor } from '../core/actor.ts';
import { NUMBER_PATTERN } from '../core/filters/matches.ts';
import type { Filter } from '../core/filters/property-filter.ts';
import type { Range } from '../core/time/range.ts';
import { type Dialect, PERSON_PROPERTIES, type SqlBuilder } from '../stores/events/dialect.ts';
import { cohortSql } from './cohorts/cohort-sql.ts';
import { eventNameSql, stepsSql } from './filters/action-step-sql.ts';
import { needsPerson } from './filters/asks-for-person.ts';
import { type FilterScope, filterSql } from './filters/filter-sql.ts';
import { relatedSql } from './filters/related-filter.ts';
import { groupPropertyValuesSql } from './group-property-values.ts';
import { personsSql } from './people-sql.ts';
import type { Prepared } from './prepare.ts';
import { sessionSql } from './property-value.ts';

export class Statement {
  readonly sql: SqlBuilder;
  readonly #prepared: Prepared;

  constructor(dialect: Dialect, prepared: Prepared) {
    this.sql = dialect.newStatement('e');
    this.#prepared = prepared;
  }

  get projectId(): number {
    return this.#prepared.projectId;
  }

  /** Whether it asks what persons are like, not only who did it. */
  get namesPersons(): boolean {
    return this.#prepared.namesPersons;
  }

  /** `from` and what belongs to it. Persons cost a join: only where they matter. */
  from(): string {
    if (!this.#prepared.hasPersons) return 'from event_rows e';
    return `from event_rows e left join ${personsSql(this.sql, this.projectId)} p on p.key = e.person_id`;
  }

  inProject(): string {
    return `e.project_id = ${this.sql.param(this.#prepared.projectId)}`;
  }

  during({ from, until }: Range): string {
    return `(e.timestamp >= ${this.sql.time(from)} and e.timestamp < ${this.sql.time(until)})`;
  }

  /** A filter on persons leaves out events of nobody, whatever it says about them. */
  holds(filter: Filter): string {
    const condition = filterSql(this.sql, filter, this.#scope());
    return needsPerson(filter) ? `(p.person_id is not null and ${condition})` : condition;
  }

  isOf(entity: Entity): string {
    return `(${this.#isKind(entity)} and ${this.holds(entity.filter)})`;
  }

  isMember(cohort: number | 'all'): string {
    if (cohort === 'all') return '(p.person_id is not null)';
    return `(p.person_id is not null and ${this.#inCohort({ kind: 'cohort', id: cohort, negated: false })})`;
  }

  /** What a property of groups is, as a table: `group_key`, `value`. */
  groupTexts(key: string): string {
    return groupPropertyValuesSql(this.sql, this.#prepared.groupTexts, key);
  }

  /** Null where nobody, or no group, did it. */
  actor(actor: Actor): string {
    return actor.kind === 'person' ? 'p.person_id' : `nullif(e.group_${Number(actor.index)}, '')`;
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

  #scope(): FilterScope {
    const { patterns, outside } = this.#prepared;
    const json = PERSON_PROPERTIES;
    return {
      patterns,
      related: (leaf) =>
        leaf.owner === 'person' ? filterSql(this.sql, leaf, { json, patterns }) : relatedSql(this.sql, outside, leaf),
      cohort: (filter) => this.#inCohort(filter),
    };
  }

  #inCohort(filter: Parameters<typeof cohortSql>[2]): string {
    return cohortSql(this.sql, this.#prepared.cohorts, filter, 'p.person_id');
  }

  #isKind(entity: Entity): string {
    if (entity.kind === 'event') return eventNameSql(this.sql, entity.id);
    const { patterns } = this.#prepared;
    return stepsSql(this.sql, entity.steps, { patterns, holds: (filter) => this.holds(filter) });
  }
}
