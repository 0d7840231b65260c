import { periodUnit } from '../../../core/time/period.ts';
import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { anyEventNameSql } from '../../../query/filters/action-step-sql.ts';
import { joinPersonsSql } from '../../../query/persons-sql.ts';
import type { RetentionQuestion } from '../rules/question.ts';
import { type BreakdownColumns, splitBy } from '../shared/breakdown-sql.ts';
import { tickSql } from '../shared/tick-sql.ts';

interface Axis {
  bounds: readonly number[];
  /** The part of the range that the intervals cover. */
  range: Range;
}

function axisOf({ range, period, intervals, timezone }: RetentionQuestion): Axis {
  const ticks = ticksOf(range, periodUnit(period), timezone).slice(0, intervals);
  const end = ticks.at(-1)?.end ?? range.until;
  const bounds = [...ticks.map(({ start }) => start), end];
  return { bounds, range: { from: range.from, until: Math.min(range.until, end) } };
}

/** Who started in which interval, with the values of the breakdown: `person`, `interval`, `value0`, `value1`, … */
export function arrivalsSql(statement: EventStatement, question: RetentionQuestion): string {
  const { target, filter, isFirstTime, isFirstCohortOnly } = question;
  const { bounds, range } = axisOf(question);
  const breakdowns = valuesOf(statement, question);
  const values = breakdowns.map(({ value }) => value);
  const named = values.map((_, at) => `, value${at}`).join('');
  const during = isFirstTime ? 'true' : statement.during(range);
  // Of all time, not only of the range: only the very first event counts.
  const first = `row_number() over (partition by p.person_id order by e.timestamp, ${statement.sql.idOrder('e.uuid')})`;
  const events = `select p.person_id as person, e.timestamp as happened, ${isFirstTime ? first : '1'} as event_rank
      ${values.map((value, at) => `, ${value} as value${at}`).join('')}
    ${statement.from()} ${breakdowns.map(({ join }) => join).join(' ')}
    where ${statement.inProject()} and ${during} and ${statement.isOf(target)} and ${statement.matches(filter)}
      and p.person_id is not null`;
  const { sql } = statement;
  const inRange = `happened >= ${sql.time(range.from)} and happened < ${sql.time(range.until)}`;
  const cohorts = isFirstCohortOnly ? 'where interval = 0' : '';
  return `select distinct person, interval ${named} from (
      select person, ${tickSql(sql, 'happened', bounds)} as interval ${named}
      from (${events}) f where event_rank = 1 and ${inRange}
    ) i ${cohorts}`;
}

function valuesOf(statement: EventStatement, { breakdown, range }: RetentionQuestion): BreakdownColumns[] {
  if (breakdown?.kind !== 'property') return [];
  return breakdown.keys.map((key) => splitBy(statement, breakdown, key, range));
}

/** Who came back in which interval. */
export function returnsSql(statement: EventStatement, question: RetentionQuestion): string {
  const { bounds, range } = axisOf(question);
  return `select distinct p.person_id as person, ${tickSql(statement.sql, 'e.timestamp', bounds)} as interval
    ${statement.from()}
    where ${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(question.returning)}
      and ${statement.matches(question.filter)} and p.person_id is not null`;
}

/** As many bits as a word has. */
export const MAX_BITMAP_INTERVALS = 60;

/** Without a breakdown, in one pass over the events: the intervals in which each person `came` and came `again`, as bits. */
export function retentionBitmapSql(statement: EventStatement, question: RetentionQuestion): string {
  return question.isFirstTime ? firstTimesSql(statement, question) : recurringSql(statement, question);
}

function recurringSql(statement: EventStatement, question: RetentionQuestion): string {
  const { sql } = statement;
  const { range } = axisOf(question);
  const tick = tickOf(statement, question, 'e.timestamp');
  const came = `case when ${statement.isOf(question.target)} then ${sql.bit(tick)} else 0 end`;
  return personsSql(statement, question, statement.during(range), [
    { name: 'came', each: sql.bitOr(came), together: sql.bitOr('a.came') },
  ]);
}

/** Of all time, not only of the range: only the very first event counts. */
function firstTimesSql(statement: EventStatement, question: RetentionQuestion): string {
  const { sql } = statement;
  const { range } = axisOf(question);
  const first = `min(case when ${statement.isOf(question.target)} then e.timestamp end)`;
  const persons = personsSql(statement, question, 'true', [{ name: 'first', each: first, together: 'min(a.first)' }]);
  const inRange = `b.first >= ${sql.time(range.from)} and b.first < ${sql.time(range.until)}`;
  return `select ${sql.bit(tickOf(statement, question, 'b.first'))} as came, b.again as again
    from (${persons}) b where ${inRange}`;
}

/** Each person with the bits of `again`, and further columns as in `activitySql`. */
function personsSql(
  statement: EventStatement,
  question: RetentionQuestion,
  during: string,
  also: readonly { name: string; each: string; together: string }[],
): string {
  const { sql } = statement;
  const { target, returning, filter } = question;
  const { range } = axisOf(question);
  const groupsById = !statement.filtersPersons;
  const isBack = `${statement.during(range)} and ${statement.isOf(returning)}`;
  const back = `case when ${isBack} then ${sql.bit(tickOf(statement, question, 'e.timestamp'))} else 0 end`;
  const columns = also.map(({ name, each }) => `, ${each} as ${name}`).join('');
  const key = groupsById ? 'e.person_id' : 'p.person_id';
  const byKey = `select ${key} as person, ${sql.bitOr(back)} as again${columns}
    ${groupsById ? 'from event_rows e' : statement.from()}
    where ${statement.inProject()} and ${during} and ${anyEventNameSql(sql, [target, returning])}
      and ${statement.matches(filter)} and ${key} is not null
    group by ${key}`;
  if (!groupsById) return byKey;
  const joined = also.map(({ name, together }) => `, ${together} as ${name}`).join('');
  return `select p.person_id as person, ${sql.bitOr('a.again')} as again${joined}
    from (${byKey}) a ${joinPersonsSql(sql, statement.projectId, 'a.person')}
    group by p.person_id`;
}

const tickOf = ({ sql }: EventStatement, question: RetentionQuestion, time: string): string =>
  tickSql(sql, time, axisOf(question).bounds);
