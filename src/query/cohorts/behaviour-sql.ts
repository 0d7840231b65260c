/** What people did, as SQL: the same meaning as `test/oracle/cohort-members.ts`, in the words of the engine of events. */
import type {
  Behaviour,
  Count,
  CountedBehaviour,
  RegularBehaviour,
  SequenceBehaviour,
} from '../../core/cohorts/criteria.ts';
import { subtractSpan } from '../../core/time/span.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { BehaviourConditions } from './behaviour-scope.ts';

interface BehaviourScope extends BehaviourConditions {
  projectId: number;
  now: number;
}

/** A query of the current ids of all persons who did it, one row each, in `person_id`. Events are read as `e`. */
export function behaviourSql(sql: SqlBuilder, behaviour: Behaviour, scope: BehaviourScope): string {
  if (behaviour.kind === 'performed_event_sequence') return sequenceSql(sql, behaviour, scope);
  const { where, having } = clauses(sql, behaviour, scope);
  return `select e.person_id from ${scope.source}
    where e.project_id = ${sql.param(scope.projectId)} and ${scope.isBehaviour(behaviour.deed)} and ${where}
    group by e.person_id
    having ${having}`;
}

function clauses(
  sql: SqlBuilder,
  behaviour: CountedBehaviour,
  { now }: BehaviourScope,
): { where: string; having: string } {
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
        having: `max(e.timestamp) <= ${sql.time(subtractSpan(now, behaviour.lately))}`,
      };
    case 'restarted_performing_event': {
      const since = subtractSpan(now, behaviour.lately);
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

/** Each period is counted by itself; who did nothing in any of them has no row. */
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
    having: `(${all.join(' + ')}) >= ${sql.param(periods.least)}`,
  };
}

/**
 * For each moment of a person with the second event: when the first one happened last before it. The nearest one
 * decides, because the time from there to the second is the shortest. Events of one moment come in no order, so they
 * are taken together.
 */
function sequenceSql(
  sql: SqlBuilder,
  { deed, next, within, nextWithin }: SequenceBehaviour,
  scope: BehaviourScope,
): string {
  const isFirst = scope.isBehaviour(deed);
  const isSecond = scope.isBehaviour(next);
  return `select distinct s.person_id from (
      select m.person_id, m.timestamp, m.is_second,
        max(case when m.is_first = 1 then m.timestamp end) over (
          partition by m.person_id order by m.timestamp rows between unbounded preceding and 1 preceding
        ) as last_first
      from (
        select e.person_id, e.timestamp,
          max(case when ${isFirst} then 1 else 0 end) as is_first,
          max(case when ${isSecond} then 1 else 0 end) as is_second
        from ${scope.source}
        where e.project_id = ${sql.param(scope.projectId)} and ${scope.mayBeAny([deed, next])}
          and e.timestamp > ${sql.time(subtractSpan(scope.now, within))}
          and e.timestamp < ${sql.time(scope.now)}
        group by e.person_id, e.timestamp
      ) m
    ) s
    where s.is_second = 1 and s.last_first is not null and s.timestamp <= ${sql.addSpan('s.last_first', nextWithin)}`;
}
