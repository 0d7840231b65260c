/** The property of a breakdown as SQL; events are read as `e`, their persons as `p`. */
import type { PropertyBreakdown } from '../core/actions/breakdown.ts';
import type { Range } from '../core/time/range.ts';
import { PERSON_PROPERTIES } from '../stores/events/dialect.ts';
import { breakdownExpressions, readsPerson } from './expressions/expression-references.ts';
import { type SessionScope, sessionSql, sessionTextSql, sessionValuesSql } from './sessions/session-values-sql.ts';

interface ValueScope extends SessionScope {
  /** The values of a group property, as a table of `group_key` and `value`. */
  groupValues(key: string): string;
  /** The text of an expression; empty where it has no value. */
  expressionText(text: string): string;
}

/** Its text: `null` where it is null, empty where it is absent. Needs the joins of `valueJoinSql`. */
export function valueSql(
  scope: Pick<ValueScope, 'sql' | 'expressionText'>,
  breakdown: PropertyBreakdown,
  key: string,
): string {
  const text = textSql(scope, breakdown, key);
  return breakdown.isUrl ? `coalesce(nullif(trim(trailing '/?#' from ${text}), ''), '/')` : text;
}

function textSql(scope: Pick<ValueScope, 'sql' | 'expressionText'>, breakdown: PropertyBreakdown, key: string): string {
  if (breakdown.owner === 'hogql') return scope.expressionText(key);
  if (breakdown.owner === 'session') return sessionTextSql(key, sessionAlias(breakdown, key));
  // An event without a group lacks the property.
  if (breakdown.owner === 'group') return `coalesce(${groupAlias(breakdown, key)}.value, '')`;
  return scope.sql.text(key, breakdown.owner === 'person' ? PERSON_PROPERTIES : undefined);
}

/** The joins that a value needs. Sessions are read within a day of `range`. */
export function valueJoinSql(scope: ValueScope, breakdown: PropertyBreakdown, key: string, range: Range): string {
  if (breakdown.owner === 'session') {
    const name = sessionAlias(breakdown, key);
    return `left join ${sessionValuesSql(scope, range, [key])} ${name} on ${name}.session = ${sessionSql(scope.sql)}`;
  }
  if (breakdown.owner !== 'group') return '';
  const name = groupAlias(breakdown, key);
  return `left join ${scope.groupValues(key)} ${name} on ${name}.group_key = e.group_${Number(breakdown.groupIndex ?? 0)}`;
}

/** Whether an event has the owner of the property. */
export function hasOwnerSql(breakdown: PropertyBreakdown): string {
  const { owner } = breakdown;
  if (owner === 'session') return `${sessionAlias(breakdown, breakdown.keys[0] ?? '')}.session is not null`;
  if (owner === 'hogql') return breakdownExpressions(breakdown).some(readsPerson) ? HAS_PERSON : 'true';
  return owner === 'person' ? HAS_PERSON : 'true';
}

const HAS_PERSON = 'p.person_id is not null';

const sessionAlias = ({ keys }: PropertyBreakdown, key: string): string => `session_values${keys.indexOf(key)}`;

const groupAlias = ({ keys }: PropertyBreakdown, key: string): string => `group_texts${keys.indexOf(key)}`;
