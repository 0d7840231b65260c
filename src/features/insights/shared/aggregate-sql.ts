/** How the matching events of a series become numbers: one for each value of the breakdown and each interval. */

import { SESSION_DURATION } from '../../../core/filters/session-duration.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { sessionsSql } from '../../../query/property-value.ts';
import type { SeriesMath } from '../rules/math.ts';
import { actorOfMath, statisticSql } from './math-sql.ts';

/** The column that a series needs of each event, beside `value` and `tick`. */
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
      if (math.property === SESSION_DURATION) return `${statement.session()} as session`;
      return `${statement.number(math.property)} as number`;
  }
}

interface Aggregation {
  math: SeriesMath;
  /** Everybody counts once, where they come first. */
  isCumulative: boolean;
  /** Where sessions are looked at. */
  reach: Range;
}

/** `matched` has the columns `value`, `tick` and that of `measuredColumn`; the answer has `value`, `tick` and `n`. */
export function aggregateSql(
  statement: EventStatement,
  matched: string,
  { math, isCumulative, reach }: Aggregation,
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
      if (math.property !== SESSION_DURATION) {
        return grouped(statisticSql(statement.sql, math.statistic, 'number'), `(${matched}) m`);
      }
      return grouped(
        statisticSql(statement.sql, math.statistic, 'length'),
        `(select distinct m.value, m.tick, s.session, s.length
        from (${matched}) m left join ${sessionsSql(statement, reach)} s on s.session = m.session) l`,
      );
  }
}

const firstOfActors = (matched: string): string =>
  `(select value, actor, min(tick) as tick from (${matched}) m where actor is not null group by value, actor) f`;

/** What stands for an interval in which nothing matched: null where there is nothing to take a statistic of. */
export function emptyNumber(math: SeriesMath): number | null {
  if (math.kind === 'property') return math.statistic === 'sum' ? 0 : null;
  return math.kind === 'per_actor' ? null : 0;
}
