/**
 * Retention without a breakdown, in one go over the events: for each person the intervals in which they came, and those
 * in which they were there again, as bits.
 */

import type { EventStatement } from '../../../query/event-statement.ts';
import { anyEventNameSql } from '../../../query/filters/action-step-sql.ts';
import { joinPersonsSql } from '../../../query/persons-sql.ts';
import type { RetentionQuestion } from '../rules/question.ts';
import { tickSql } from '../shared/tick-sql.ts';
import { axisOf } from './retention-sql.ts';

/** With more intervals than this a word would have too few bits. */
export const MAX_BITMAP_INTERVALS = 60;

/** For each person the intervals in which they `came`, and those in which they were there `again`, as bits. */
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

/** Of all times, not only of the range: only somebody's first event makes them new. */
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
  const isLater = !statement.filtersPersons;
  const isBack = `${statement.during(range)} and ${statement.isOf(returning)}`;
  const back = `case when ${isBack} then ${sql.bit(tickOf(statement, question, 'e.timestamp'))} else 0 end`;
  const columns = also.map(({ name, each }) => `, ${each} as ${name}`).join('');
  const key = isLater ? 'e.person_id' : 'p.person_id';
  const byKey = `select ${key} as person, ${sql.bitOr(back)} as again${columns}
    ${isLater ? 'from event_rows e' : statement.from()}
    where ${statement.inProject()} and ${during} and ${anyEventNameSql(sql, [target, returning])}
      and ${statement.matches(filter)} and ${key} is not null
    group by ${key}`;
  if (!isLater) return byKey;
  const joined = also.map(({ name, together }) => `, ${together} as ${name}`).join('');
  return `select p.person_id as person, ${sql.bitOr('a.again')} as again${joined}
    from (${byKey}) a ${joinPersonsSql(sql, statement.projectId, 'a.person')}
    group by p.person_id`;
}

const tickOf = ({ sql }: EventStatement, question: RetentionQuestion, time: string): string =>
  tickSql(sql, time, axisOf(question).bounds);
