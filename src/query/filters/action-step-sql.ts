/** Steps of actions as SQL: the same meaning as `test/oracle/fits-step.ts`, in the words of the engine of events. */
import type { ActionStep } from '../../core/actions/entity.ts';
import type { Filter } from '../../core/filters/property-filter.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';

interface StepScope {
  /** Patterns that the engine takes (see `validPatterns`): any other matches nothing. */
  patterns: ReadonlySet<string>;
  holds(filter: Filter): string;
}

/** True for an event that fits at least one of the steps. Events are read as `e`. */
export function stepsSql(sql: SqlBuilder, steps: readonly ActionStep[], scope: StepScope): string {
  if (steps.length === 0) return 'false';
  return `(${steps.map((step) => stepSql(sql, step, scope)).join(' or ')})`;
}

const stepSql = (sql: SqlBuilder, step: ActionStep, scope: StepScope): string =>
  `(${eventNameSql(sql, step.event)} and ${urlSql(sql, step, scope)} and ${scope.holds(step.filter)})`;

/** Null: any event. */
export const eventNameSql = (sql: SqlBuilder, name: string | null): string =>
  name === null ? 'true' : `e.event = ${sql.param(name)}`;

/** Events by their name (null: any), or by the steps that they may fit. */
type EventKind = { kind: 'event'; id: string | null } | { kind: 'action'; steps: readonly ActionStep[] };

/** True for the events that can be of any of these; says nothing about their filters. */
export function anyEventNameSql(sql: SqlBuilder, kinds: readonly EventKind[]): string {
  const names = kinds.flatMap((one) => (one.kind === 'event' ? [one.id] : one.steps.map(({ event }) => event)));
  if (names.includes(null)) return 'true';
  return names.length === 0 ? 'false' : `e.event in (${names.map((name) => sql.param(name)).join(', ')})`;
}

function urlSql(sql: SqlBuilder, { url, urlMatching }: ActionStep, { patterns }: StepScope): string {
  if (url === null) return 'true';
  const at = `coalesce(${sql.property('$current_url')}, '')`;
  if (urlMatching === 'exact') return `${at} = ${sql.param(url)}`;
  if (urlMatching === 'contains') return sql.contains(at, url);
  return patterns.has(url) ? sql.matches(at, url) : 'false';
}

/** What has to be looked into before a step becomes SQL: its filter, and the pattern of its address as one. */
export function filtersOfStep({ url, urlMatching, filter }: ActionStep): Filter[] {
  if (url === null || urlMatching !== 'regex') return [filter];
  return [filter, { kind: 'property', owner: 'event', key: '$current_url', operator: 'regex', values: [url] }];
}
