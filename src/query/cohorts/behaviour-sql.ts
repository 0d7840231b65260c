/** Who did something, as SQL. `test/oracle/cohort-members.ts` says the same in plain code. */
import type {
  Behaviour,
  Count,
  CountedBehaviour,
  RegularBehaviour,
  SequenceBehaviour,
} from '../../core/cohorts/criteria.ts';
import { subtractSpan } from '../../core/time/span.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import { anyEventNameSql } from '../filters/action-step-sql.ts';
import type { BehaviourStatement } from './behaviour-query.ts';

/** Selects the current ids of all persons who did it, one row each, as `person_id`. */
export function behaviourSql(prepared: BehaviourStatement, behaviour: Behaviour, now: number): string {
  if (behaviour.kind === 'performed_event_sequence') return sequenceSql(prepared, behaviour, now);
  const { statement, matcherOf } = prepared;
  const { where, having } = clauses(statement.sql, behaviour, now);
  return `select e.person_id ${statement.from()}
    where ${statement.inProject()} and ${statement.isOf(matcherOf(behaviour.performed))} and ${where}
    group by e.person_id
    having ${having}`;
}

function clauses(sql: SqlBuilder, behaviour: CountedBehaviour, now: number): { where: string; having: string } {
  const start = subtractSpan(now, behaviour.within);
  const inWindow = (): string => `e.timestamp > ${sql.time(start)} and e.timestamp < ${sql.time(now)}`;
  switch (behaviour.kind) {
    case 'performed_event':
      return { where: inWindow(), having: 'count(*) > 0' };
    case 'performed_event_multiple':
      return { where: inWindow(), having: `count(*) ${comparedWith(sql, behaviour.count)}` };
    case 'performed_event_first_time':
      return { where: `e.timestamp < ${sql.time(now)}`, having: `min(e.timestamp) >= ${sql.time(start)}` };
    case 'performed_event_regularly':
      return regularClauses(sql, behaviour, now);
    case 'stopped_performing_event':
      return {
        where: `e.timestamp > ${sql.time(start)} and e.timestamp <= ${sql.time(now)}`,
        having: `max(e.timestamp) <= ${sql.time(subtractSpan(now, behaviour.recent))}`,
      };
    case 'restarted_performing_event': {
      const since = subtractSpan(now, behaviour.recent);
      const between = `e.timestamp > ${sql.time(start)} and e.timestamp <= ${sql.time(since)}`;
      return {
        where: `e.timestamp <= ${sql.time(now)}`,
        having: `min(e.timestamp) <= ${sql.time(start)} and max(e.timestamp) > ${sql.time(since)}
          and ${countWhere(between)} = 0`,
      };
    }
  }
}

const countWhere = (condition: string): string => `sum(case when ${condition} then 1 else 0 end)`;

const SQL_OPERATORS: Readonly<Record<Count['operator'], string>> = { gte: '>=', lte: '<=', gt: '>', lt: '<', eq: '=' };

const comparedWith = (sql: SqlBuilder, { operator, value }: Count): string =>
  `${SQL_OPERATORS[operator]} ${sql.param(value)}`;

/** Each period is counted by itself; persons who did nothing in any of them have no row. */
function regularClauses(
  sql: SqlBuilder,
  { within, count, periods }: RegularBehaviour,
  now: number,
): { where: string; having: string } {
  const bound = (period: number): string => sql.time(subtractSpan(now, within, period));
  const isGood = (period: number): string => {
    const events = countWhere(`e.timestamp > ${bound(period + 1)} and e.timestamp <= ${bound(period)}`);
    return `case when ${events} ${comparedWith(sql, count)} then 1 else 0 end`;
  };
  const all = Array.from({ length: periods.total }, (_, period) => isGood(period));
  return {
    where: `e.timestamp > ${bound(periods.total)} and e.timestamp < ${sql.time(now)}`,
    having: `(${all.join(' + ')}) >= ${sql.param(periods.min)}`,
  };
}

/**
 * For each second event of a person: when the first one last happened before it. The latest is enough, because the time
 * from there is the shortest. Events at the same moment have no order, so they are grouped.
 */
function sequenceSql(
  { statement, matcherOf }: BehaviourStatement,
  { performed, next, within, nextWithin }: SequenceBehaviour,
  now: number,
): string {
  const { sql } = statement;
  const [first, second] = [matcherOf(performed), matcherOf(next)];
  return `select distinct s.person_id from (
      select m.person_id, m.timestamp, m.is_second,
        max(case when m.is_first = 1 then m.timestamp end) over (
          partition by m.person_id order by m.timestamp rows between unbounded preceding and 1 preceding
        ) as last_first
      from (
        select e.person_id, e.timestamp,
          max(case when ${statement.isOf(first)} then 1 else 0 end) as is_first,
          max(case when ${statement.isOf(second)} then 1 else 0 end) as is_second
        ${statement.from()}
        where ${statement.inProject()} and ${anyEventNameSql(sql, [first, second])}
          and e.timestamp > ${sql.time(subtractSpan(now, within))}
          and e.timestamp < ${sql.time(now)}
        group by e.person_id, e.timestamp
      ) m
    ) s
    where s.is_second = 1 and s.last_first is not null and s.timestamp <= ${sql.addSpan('s.last_first', nextWithin)}`;
}
