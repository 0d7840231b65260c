/** A property as a breakdown reads it, of an event that is read as `e` with its person as `p`. */
import type { PropertyBreakdown } from '../core/actions/breakdown.ts';
import type { Range } from '../core/time/range.ts';
import { DAY_MS } from '../core/time/units.ts';
import { PERSON_PROPERTIES, type SqlBuilder } from '../stores/events/dialect.ts';

interface ValueScope {
  sql: SqlBuilder;
  projectId: number;
  /** The values of a group property, as a table of `group_key` and `value`. */
  groupValues(key: string): string;
}

/** Its text, `null` where it is null, empty where it is missing. What `valueJoinSql` says has to be joined. */
export function valueSql(sql: SqlBuilder, breakdown: PropertyBreakdown, key: string): string {
  if (breakdown.owner === 'session') return `coalesce(cast(${SESSION}.length as varchar), '')`;
  const text = textSql(sql, breakdown, key);
  return breakdown.isUrl ? `coalesce(nullif(trim(trailing '/?#' from ${text}), ''), '/')` : text;
}

function textSql(sql: SqlBuilder, breakdown: PropertyBreakdown, key: string): string {
  // Of an event that belongs to no group the property is missing.
  if (breakdown.owner === 'group') return `coalesce(${groupAlias(breakdown, key)}.value, '')`;
  return sql.text(key, breakdown.owner === 'person' ? PERSON_PROPERTIES : undefined);
}

/** What a value needs beside the event and its person. Sessions are looked at within a day of `reach`. */
export function valueJoinSql(scope: ValueScope, breakdown: PropertyBreakdown, key: string, reach: Range): string {
  if (breakdown.owner === 'session') {
    return `left join ${sessionsSql(scope, reach)} ${SESSION} on ${SESSION}.session = ${sessionSql(scope.sql)}`;
  }
  if (breakdown.owner !== 'group') return '';
  const name = groupAlias(breakdown, key);
  return `left join ${scope.groupValues(key)} ${name} on ${name}.group_key = e.group_${Number(breakdown.groupIndex ?? 0)}`;
}

/** True for an event that has an owner of the property, whatever it says. */
export function hasOwnerSql({ owner }: PropertyBreakdown): string {
  if (owner === 'session') return `${SESSION}.session is not null`;
  return owner === 'person' ? 'p.person_id is not null' : 'true';
}

const SESSION = 'session_lengths';

const groupAlias = ({ keys }: PropertyBreakdown, key: string): string => `group_texts${keys.indexOf(key)}`;

/** The session of an event; null where it has none. */
export const sessionSql = (sql: SqlBuilder): string => `nullif(${sql.property('$session_id')}, '')`;

/** How many seconds each session lasted; of one that lasts for days only what lies within a day of the range. */
export function sessionsSql({ sql, projectId }: Pick<ValueScope, 'sql' | 'projectId'>, { from, until }: Range): string {
  const length = sql.quotient(`(${sql.ms('max(e.timestamp)')} - ${sql.ms('min(e.timestamp)')})`, sql.integer(1000));
  return `(select ${sessionSql(sql)} as session, ${length} as length
    from event_rows e
    where e.project_id = ${sql.param(projectId)}
      and e.timestamp >= ${sql.time(from - DAY_MS)} and e.timestamp < ${sql.time(until + DAY_MS)}
    group by 1)`;
}
