/** How the events of a series become numbers: one for each value of the breakdown and each interval. */

import type { Actor } from '../../../core/actor.ts';
import type { Range } from '../../../core/time/range.ts';
import { isSessionStatistic } from '../../../core/web/session-properties.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { sessionNumberSql, sessionValuesSql } from '../../../query/sessions/session-values-sql.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { SeriesMath, Statistic } from '../rules/math.ts';

/** Persons, or groups of a type. */
export const actorOfMath = (math: SeriesMath): Actor => {
  const index = math.kind === 'unique_group' || math.kind === 'per_actor' ? math.group : null;
  return index === null ? { kind: 'person' } : { kind: 'group', index };
};

/** Whether the number depends on the persons of events. */
export const countsPersons = (math: SeriesMath): boolean =>
  math.kind === 'dau' || math.kind === 'active' || (math.kind === 'per_actor' && math.group === null);

/** Ignores nulls; null where there are no numbers, except that their sum is 0. */
function statisticSql(sql: SqlBuilder, statistic: Statistic, value: string): string {
  switch (statistic) {
    case 'sum':
      return `coalesce(sum(${value}), 0)`;
    case 'avg':
    case 'min':
    case 'max':
      return `${statistic}(${value})`;
    case 'median':
      return sql.quantile(value, 0.5);
    case 'p90':
    case 'p95':
    case 'p99':
      return sql.quantile(value, Number(statistic.slice(1)) / 100);
  }
}

/** The properties of sessions that the math reads. */
export const sessionPropertyOf = (math: SeriesMath): string[] =>
  math.kind === 'property' && isSessionStatistic(math.property) ? [math.property] : [];

/** The column that the math needs of each event, besides `value` and `tick`. */
export function measuredColumn(statement: EventStatement, math: SeriesMath): string {
  switch (math.kind) {
    case 'total':
      return '1 as one';
    case 'dau':
    case 'active':
    case 'unique_group':
    case 'per_actor':
      return `${statement.actor(actorOfMath(math))} as actor`;
    case 'unique_session':
      return `${statement.session()} as session`;
    case 'property':
      if (isSessionStatistic(math.property)) return `${statement.session()} as session`;
      return `${statement.number(math.property)} as number`;
  }
}

interface Aggregation {
  math: SeriesMath;
  /** Each actor counts once, in their first interval. */
  isCumulative: boolean;
  /** Sessions are read in this range. */
  sessionRange: Range;
}

/** `matched` selects `value`, `tick` and `measuredColumn`; the result has `value`, `tick` and `n`. */
export function aggregateSql(
  statement: EventStatement,
  matched: string,
  { math, isCumulative, sessionRange }: Aggregation,
): string {
  const grouped = (n: string, from: string): string =>
    `select value, tick, ${n} as n from ${from} group by value, tick`;
  switch (math.kind) {
    case 'total':
      return grouped('count(*)', `(${matched}) m`);
    case 'dau':
    case 'active':
    case 'unique_group':
      if (isCumulative && math.kind !== 'active') return grouped('count(*)', firstOfActors(matched));
      return grouped('count(distinct actor)', `(${matched}) m`);
    case 'unique_session':
      return grouped('count(distinct session)', `(${matched}) m`);
    case 'per_actor':
      return grouped(
        statisticSql(statement.sql, math.statistic, 'events'),
        `(select value, tick, actor, count(*) as events from (${matched}) m
        where actor is not null group by value, tick, actor) a`,
      );
    case 'property':
      if (!isSessionStatistic(math.property)) {
        return grouped(statisticSql(statement.sql, math.statistic, 'number'), `(${matched}) m`);
      }
      return grouped(
        statisticSql(statement.sql, math.statistic, 'number'),
        `(select distinct m.value, m.tick, s.session, ${sessionNumberSql(math.property, 's')} as number
        from (${matched}) m
        left join ${sessionValuesSql(statement, sessionRange, [math.property])} s on s.session = m.session) l`,
      );
  }
}

const firstOfActors = (matched: string): string =>
  `(select value, actor, min(tick) as tick from (${matched}) m where actor is not null group by value, actor) f`;

/** The number of an interval without events; null where there is nothing to take a statistic of. */
export function emptyNumber(math: SeriesMath): number | null {
  if (math.kind === 'property') return math.statistic === 'sum' ? 0 : null;
  return math.kind === 'per_actor' ? null : 0;
}
