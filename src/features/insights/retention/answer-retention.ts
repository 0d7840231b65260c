import { Failure } from '../../../core/errors.ts';
import { addUnits } from '../../../core/time/interval.ts';
import { periodUnit } from '../../../core/time/period.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps, ScanDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { FoundActor, RetentionRow } from '../rules/answers.ts';
import type { RetentionPeopleQuestion, RetentionQuestion } from '../rules/question.ts';
import { compareText } from '../rules/statistics.ts';
import { type ActivityBits, queryActivityBits } from '../shared/activity-bitmaps.ts';
import { arrivalsSql, MAX_BITMAP_INTERVALS, retentionBitmapSql, returnsSql } from './retention-sql.ts';

export async function answerRetention(
  deps: ScanDeps,
  projectId: number,
  question: RetentionQuestion,
): Promise<RetentionRow[]> {
  const { breakdown, intervals, period, range, timezone } = question;
  if (breakdown !== null) return rowsByValue(deps, projectId, question);
  const counts = await countsByInterval(deps, projectId, question);
  return Array.from({ length: intervals }, (_, at) => ({
    label: `${period} ${at}`,
    date: addUnits(range.from, at, periodUnit(period), timezone),
    breakdownValues: null,
    counts: pointsOf(counts.get(JSON.stringify([String(at)])), intervals - at),
  }));
}

async function countsByInterval(
  deps: ScanDeps,
  projectId: number,
  question: RetentionQuestion,
): Promise<ReadonlyMap<string, Counts>> {
  if (question.intervals > MAX_BITMAP_INTERVALS) return countsBy(deps, projectId, question, ['a.interval']);
  const query = await prepareRetention(deps, projectId, question);
  const statement = query.begin();
  const bitsQuery = { actors: retentionBitmapSql(statement, question), bits: ['came', 'again'] };
  return countReturns(await queryActivityBits(deps, statement, bitsQuery), question);
}

/** Interval → intervals after it → how many started then and came back so much later. */
function countReturns(bits: ActivityBits, { isFirstCohortOnly, intervals }: RetentionQuestion): Map<string, Counts> {
  const counts = new Float64Array(intervals * intervals);
  for (let person = 0; person < bits.actors; person++) {
    bits.eachTickIn(0, person, (came) => {
      if (isFirstCohortOnly && came > 0) return;
      (counts[came * intervals] as number)++;
      bits.eachTickIn(1, person, (again) => {
        if (again > came) (counts[came * intervals + again - came] as number)++;
      });
    });
  }
  return new Map(
    Array.from({ length: intervals }, (_, came) => [
      JSON.stringify([String(came)]),
      new Map(Array.from(counts.subarray(came * intervals, (came + 1) * intervals), (n, after) => [after, n])),
    ]),
  );
}

/** More rows would fill the memory. */
const MAX_BREAKDOWN_ROWS = 2000;

async function rowsByValue(deps: QueryDeps, projectId: number, question: RetentionQuestion): Promise<RetentionRow[]> {
  const keys = question.breakdown?.kind === 'property' ? question.breakdown.keys : [];
  const columns = keys.map((_, at) => `a.value${at}`);
  const counts = await countsBy(deps, projectId, question, columns);
  if (counts.size > MAX_BREAKDOWN_ROWS) {
    throw new Failure(
      'invalid',
      `The breakdown has more than ${MAX_BREAKDOWN_ROWS} values: choose a property with fewer.`,
      {
        attr: 'breakdowns',
      },
    );
  }
  return [...counts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, found]) => {
      const values = JSON.parse(name) as string[];
      const label = values.join('::');
      return { label, date: null, breakdownValues: values, counts: pointsOf(found, question.intervals) };
    });
}

type Counts = ReadonlyMap<number, number>;

const pointsOf = (found: Counts | undefined, length: number): number[] =>
  Array.from({ length }, (_, after) => found?.get(after) ?? 0);

const prepareRetention = (deps: QueryDeps, projectId: number, question: RetentionQuestion): Promise<EventQuery> =>
  prepareEventQuery(deps, projectId, {
    filters: [question.filter],
    entities: [question.target, question.returning],
    breakdown: question.breakdown,
    timezone: question.timezone,
    hasActors: true,
  });

/** For each group of arrivals: how many persons arrived, and came back after how many intervals. */
async function countsBy(
  deps: QueryDeps,
  projectId: number,
  question: RetentionQuestion,
  columns: readonly string[],
): Promise<Map<string, Map<number, number>>> {
  const query = await prepareRetention(deps, projectId, question);
  const statement = query.begin();
  const names = columns.map((column, at) => `cast(${column} as varchar) as by${at}`).join(', ');
  const groups = columns.map((_, at) => at + 1).join(', ');
  const rows = await statement.query(
    `with arrivals as (${arrivalsSql(statement, question)}), returns as (${returnsSql(statement, question)})
    select ${names}, 0 as after, count(distinct a.person) as n from arrivals a group by ${groups}
    union all
    select ${names}, r.interval - a.interval as after, count(distinct a.person) as n
    from arrivals a join returns r on r.person = a.person and r.interval > a.interval
    group by ${groups}, ${columns.length + 1}
    limit ${statement.sql.integer((MAX_BREAKDOWN_ROWS + 1) * question.intervals)}`,
  );
  const counts = new Map<string, Map<number, number>>();
  for (const row of rows) {
    const name = JSON.stringify(columns.map((_, at) => String(row[`by${at}`])));
    counts.set(name, (counts.get(name) ?? new Map()).set(Number(row['after']), Number(row['n'])));
  }
  return counts;
}

/** The persons of one cohort, those who came back most often first. */
export async function findRetentionPeople(
  deps: QueryDeps,
  projectId: number,
  { retention, cohort }: RetentionPeopleQuestion,
  { limit, offset }: Page,
): Promise<FoundActor[]> {
  const query = await prepareRetention(deps, projectId, retention);
  const statement = query.begin();
  const { sql } = statement;
  const length = retention.intervals - (cohort.kind === 'interval' ? cohort.interval : 0);
  const rows = await statement.query(
    `with arrivals as (select * from (${arrivalsSql(statement, retention)}) b where ${cohortSql(statement, cohort)}),
    returns as (${returnsSql(statement, retention)}),
    there as (
      select person, 0 as after from arrivals
      union
      select a.person, r.interval - a.interval as after
      from arrivals a join returns r on r.person = a.person and r.interval > a.interval
      where r.interval - a.interval < ${sql.integer(length)}
    )
    select cast(person as varchar) as person, ${sql.joinTexts('after')} as afters
    from there group by 1 order by count(*) desc, 1
    limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => {
    const afters = new Set(String(row['afters']).split(',').map(Number));
    return {
      actor: String(row['person']),
      appearances: Array.from({ length }, (_, after) => (afters.has(after) ? 1 : 0)),
    };
  });
}

function cohortSql({ sql }: EventStatement, cohort: RetentionPeopleQuestion['cohort']): string {
  if (cohort.kind === 'interval') return `b.interval = ${sql.integer(cohort.interval)}`;
  return cohort.values.map((value, at) => `b.value${at} = ${sql.param(value)}`).join(' and ') || 'false';
}
