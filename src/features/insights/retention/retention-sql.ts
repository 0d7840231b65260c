import { invalid } from '../../../core/errors.ts';
import { periodUnit } from '../../../core/time/period.ts';
import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import type { RetentionQuestion } from '../rules/question.ts';
import { type BreakdownColumns, splitBy } from '../shared/breakdown-sql.ts';
import { tickSql } from '../shared/tick-sql.ts';

interface Axis {
  bounds: readonly number[];
  /** What of the range lies on the axis. */
  range: Range;
}

export function axisOf({ range, period, intervals, timezone }: RetentionQuestion): Axis {
  const ticks = ticksOf(range, periodUnit(period), timezone).slice(0, intervals);
  const end = ticks.at(-1)?.end ?? range.until;
  const bounds = [...ticks.map(({ start }) => start), end];
  return { bounds, range: { from: range.from, until: Math.min(range.until, end) } };
}

/** Who came in which interval, with the values of the breakdown: `person`, `interval`, `value0`, `value1`, … */
export function arrivalsSql(statement: EventStatement, question: RetentionQuestion): string {
  const { target, filter, isFirstTime, isFirstCohortOnly } = question;
  const { bounds, range } = axisOf(question);
  const divided = valuesOf(statement, question);
  const values = divided.map(({ value }) => value);
  const named = values.map((_, at) => `, value${at}`).join('');
  const during = isFirstTime ? 'true' : statement.during(range);
  // Of all times, not only of the range: only somebody's first event makes them new.
  const first = `row_number() over (partition by p.person_id order by e.timestamp, ${statement.sql.idOrder('e.uuid')})`;
  const events = `select p.person_id as person, e.timestamp as happened, ${isFirstTime ? first : '1'} as place
      ${values.map((value, at) => `, ${value} as value${at}`).join('')}
    ${statement.from()} ${divided.map(({ join }) => join).join(' ')}
    where ${statement.inProject()} and ${during} and ${statement.isOf(target)} and ${statement.matches(filter)}
      and p.person_id is not null`;
  const { sql } = statement;
  const inRange = `happened >= ${sql.time(range.from)} and happened < ${sql.time(range.until)}`;
  const cohorts = isFirstCohortOnly ? 'where interval = 0' : '';
  return `select distinct person, interval ${named} from (
      select person, ${tickSql(sql, 'happened', bounds)} as interval ${named}
      from (${events}) f where place = 1 and ${inRange}
    ) i ${cohorts}`;
}

function valuesOf(statement: EventStatement, { breakdown, range }: RetentionQuestion): BreakdownColumns[] {
  if (breakdown?.kind !== 'property') return [];
  if (breakdown.owner === 'session') {
    throw invalid('breakdown_type', 'Retention can be divided by properties of events, persons and groups only.');
  }
  return breakdown.keys.map((key) => splitBy(statement, breakdown, key, range));
}

/** Who was there again in which interval. */
export function returnsSql(statement: EventStatement, question: RetentionQuestion): string {
  const { bounds, range } = axisOf(question);
  return `select distinct p.person_id as person, ${tickSql(statement.sql, 'e.timestamp', bounds)} as interval
    ${statement.from()}
    where ${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(question.returning)}
      and ${statement.matches(question.filter)} and p.person_id is not null`;
}
