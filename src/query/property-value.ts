/** The property of a breakdown as SQL; events are read as `e`, their persons as `p`. */
import type { PropertyBreakdown } from '../core/actions/breakdown.ts';
import type { Range } from '../core/time/range.ts';
import { DAY_MS } from '../core/time/units.ts';
import { PERSON_PROPERTIES, type SqlBuilder } from '../stores/events/dialect.ts';
import { breakdownExpressions, readsPerson } from './expressions/expression-references.ts';

interface ValueScope {
  sql: SqlBuilder;
  projectId: number;
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
  if (breakdown.owner === 'session') return `coalesce(cast(${SESSION}.length as varchar), '')`;
  const text = textSql(scope, breakdown, key);
  return breakdown.isUrl ? `coalesce(nullif(trim(trailing '/?#' from ${text}), ''), '/')` : text;
}

function textSql(scope: Pick<ValueScope, 'sql' | 'expressionText'>, breakdown: PropertyBreakdown, key: string): string {
  if (breakdown.owner === 'hogql') return scope.expressionText(key);
  // An event without a group lacks the property.
  if (breakdown.owner === 'group') return `coalesce(${groupAlias(breakdown, key)}.value, '')`;
  return scope.sql.text(key, breakdown.owner === 'person' ? PERSON_PROPERTIES : undefined);
}

/** The joins that a value needs. Sessions are read within a day of `range`. */
export function valueJoinSql(scope: ValueScope, breakdown: PropertyBreakdown, key: string, range: Range): string {
  if (breakdown.owner === 'session') {
    return `left join ${sessionsSql(scope, range)} ${SESSION} on ${SESSION}.session = ${sessionSql(scope.sql)}`;
  }
  if (breakdown.owner !== 'group') return '';
  const name = groupAlias(breakdown, key);
  return `left join ${scope.groupValues(key)} ${name} on ${name}.group_key = e.group_${Number(breakdown.groupIndex ?? 0)}`;
}

/** Whether an event has the owner of the property. */
export function hasOwnerSql(breakdown: PropertyBreakdown): string {
  const { owner } = breakdown;
  if (owner === 'session') return `${SESSION}.session is not null`;
  if (owner === 'hogql') return breakdownExpressions(breakdown).some(readsPerson) ? HAS_PERSON : 'true';
  return owner === 'person' ? HAS_PERSON : 'true';
}

const SESSION = 'session_lengths';
const HAS_PERSON = 'p.person_id is not null';

const groupAlias = ({ keys }: PropertyBreakdown, key: string): string => `group_texts${keys.indexOf(key)}`;

/** The session id of an event; null where it has none. */
export const sessionSql = (sql: SqlBuilder): string => `nullif(${sql.property('$session_id')}, '')`;

/** The length of each session in seconds, as far as it lies within a day of the range. */
export function sessionsSql({ sql, projectId }: Pick<ValueScope, 'sql' | 'projectId'>, { from, until }: Range): string {
  const length = sql.quotient(`(${sql.ms('max(e.timestamp)')} - ${sql.ms('min(e.timestamp)')})`, sql.integer(1000));
  return `(select ${sessionSql(sql)} as session, ${length} as length
    from event_rows e
    where e.project_id = ${sql.param(projectId)}
      and e.timestamp >= ${sql.time(from - DAY_MS)} and e.timestamp < ${sql.time(until + DAY_MS)}
    group by 1)`;
}
