/** Events and actions as SQL conditions on `e`. `test/oracle/fits-step.ts` says the same in plain code. */
import type { ActionStep } from '../../core/actions/entity.ts';
import { likePattern } from '../../core/expressions/like-pattern.ts';
import type { Filter } from '../../core/filters/property-filter.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';

interface StepScope {
  /** Patterns that the engine accepts (see `validPatterns`); others match nothing. */
  patterns: ReadonlySet<string>;
  matches(filter: Filter): string;
}

/** Whether an event fits at least one of the steps. */
export function stepsSql(sql: SqlBuilder, steps: readonly ActionStep[], scope: StepScope): string {
  if (steps.length === 0) return 'false';
  return `(${steps.map((step) => stepSql(sql, step, scope)).join(' or ')})`;
}

const stepSql = (sql: SqlBuilder, step: ActionStep, scope: StepScope): string =>
  `(${eventNameSql(sql, step.event)} and ${urlSql(sql, step, scope)} and ${scope.matches(step.filter)})`;

/** Null: any event. */
export const eventNameSql = (sql: SqlBuilder, name: string | null): string =>
  name === null ? 'true' : `e.event = ${sql.param(name)}`;

/** Events by their name (null: any), or by the steps of an action. */
type EventKind = { kind: 'event'; id: string | null } | { kind: 'action'; steps: readonly ActionStep[] };

/** What a query counts: an `Entity`, without the parts that are only shown. */
export type EventMatcher = EventKind & { filter: Filter };

/** The names that events of these kinds can have; null: any. */
export function eventNamesOf(kinds: readonly EventKind[]): string[] | null {
  const names = kinds.flatMap((one) => (one.kind === 'event' ? [one.id] : one.steps.map(({ event }) => event)));
  const known = names.filter((name) => name !== null);
  return known.length < names.length ? null : [...new Set(known)];
}

/** Whether an event has one of these names (null: any). */
export function hasNameSql(sql: SqlBuilder, names: readonly string[] | null): string {
  if (names === null) return 'true';
  return names.length === 0 ? 'false' : sql.isOneOf('e.event', names);
}

/** Whether an event can be one of these by its name; their filters are not looked at. */
export const anyEventNameSql = (sql: SqlBuilder, kinds: readonly EventKind[]): string =>
  hasNameSql(sql, eventNamesOf(kinds));

function urlSql(sql: SqlBuilder, { url, urlMatching }: ActionStep, { patterns }: StepScope): string {
  if (url === null) return 'true';
  const at = `coalesce(${sql.property('$current_url')}, '')`;
  if (urlMatching === 'exact') return `${at} = ${sql.param(url)}`;
  if (urlMatching === 'contains') return containsSql(sql, at, url);
  return patterns.has(url) ? sql.matches(at, url) : 'false';
}

/** As in SQL's `like`, `%` is any text and `_` any character; patterns of our own making are always valid. */
const containsSql = (sql: SqlBuilder, at: string, part: string): string =>
  /[%_\\]/.test(part) ? sql.matches(at, likePattern(`%${part}%`, false)) : sql.contains(at, part);

/** Every filter of an entity, the patterns of its steps' URLs among them. */
export const filtersOfMatcher = (entity: EventMatcher): Filter[] =>
  entity.kind === 'event' ? [entity.filter] : [entity.filter, ...entity.steps.flatMap(filtersOfStep)];

function filtersOfStep({ url, urlMatching, filter }: ActionStep): Filter[] {
  if (url === null || urlMatching !== 'regex') return [filter];
  return [filter, { kind: 'property', owner: 'event', key: '$current_url', operator: 'regex', values: [url] }];
}
