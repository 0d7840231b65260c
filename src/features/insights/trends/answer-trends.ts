import { activeWindow } from '../../../core/time/active-window.ts';
import { startOfInterval } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import { withLookback } from '../../../query/event-query.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps, ScanDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { FoundActor, SeriesNumbers, TrendItem } from '../rules/answers.ts';
import type { TrendsPeopleQuestion, TrendsQuestion } from '../rules/question.ts';
import {
  actorOfMath,
  aggregateSql,
  countsPersons,
  measuredColumn,
  sessionPropertyOf,
} from '../shared/aggregate-sql.ts';
import { selectionSql } from '../shared/breakdown-sql.ts';
import { assembleTrends, type PeriodNumbers } from './rules/assemble-trends.ts';
import { SeriesCounter } from './series-counter.ts';

export async function answerTrends(deps: ScanDeps, projectId: number, question: TrendsQuestion): Promise<TrendItem[]> {
  const { filter, series, breakdown, range, searchFrom, previous } = question;
  const query = await prepareEventQuery(deps, projectId, {
    filters: [filter],
    entities: series.map(({ entity }) => entity),
    breakdown,
    sessionRange: withLookback(range, previous),
    timezone: question.timezone,
    sessionProperties: series.flatMap(({ math }) => sessionPropertyOf(math)),
    hasActors: series.some(({ math }) => countsPersons(math)),
  });
  const count = async (during: Range, from: number): Promise<PeriodNumbers> => {
    const numbers: SeriesNumbers[][] = [];
    for (const one of series) numbers.push(await new SeriesCounter(deps, query, question, one, during).count(from));
    return numbers;
  };
  const before = previous === null ? null : await count(previous, previous.from);
  return assembleTrends(question, await count(range, searchFrom), before);
}

/** Those with the largest numbers first. */
export async function findTrendsPeople(
  deps: QueryDeps,
  projectId: number,
  question: TrendsPeopleQuestion,
  { limit, offset }: Page,
): Promise<FoundActor[]> {
  const { series, filter, selection } = question;
  const { entity, math } = series;
  const actor = actorOfMath(math);
  const query = await prepareEventQuery(deps, projectId, {
    filters: [filter],
    entities: [entity],
    selection,
    sessionRange: withLookback(question.range),
    timezone: question.timezone,
    sessionProperties: sessionPropertyOf(math),
    hasActors: actor.kind === 'person',
  });
  const statement = query.begin();
  const range = peopleRange(question);
  const selected = selection === null ? { join: '', condition: 'true' } : selectionSql(statement, selection, range);
  const measured = math.kind === 'property' ? math : ({ kind: 'total' } as const);
  const actorSql = statement.actor(actor);
  const matched = `select cast(${actorSql} as varchar) as value, 0 as tick, ${measuredColumn(statement, measured)}
    ${statement.from()} ${selected.join}
    where ${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(entity)}
      and ${statement.matches(filter)} and ${selected.condition} and ${actorSql} is not null`;
  const actors = `select distinct value from (${matched}) d`;
  const numbers = aggregateSql(statement, matched, { math: measured, isCumulative: false, sessionRange: range });
  const rows = await statement.query(
    // Actors without a number to take the statistic of are counted all the same.
    `select a.value as actor, v.n as n from (${actors}) a left join (${numbers}) v on v.value = a.value
    order by coalesce(v.n, 0) desc, a.value
    limit ${statement.sql.integer(limit)} offset ${statement.sql.integer(offset)}`,
  );
  return rows.map((row) => ({ actor: String(row['actor']), value: row['n'] === null ? null : Number(row['n']) }));
}

/** Active users are counted in the days before, too. */
function peopleRange({ series: { math }, range, display, interval, timezone }: TrendsPeopleQuestion): Range {
  if (math.kind !== 'active') return range;
  const day = display === 'total' ? startOfInterval(range.until - 1, 'day', timezone) : range.from;
  return { from: activeWindow(day, math.days, interval, timezone).from, until: range.until };
}
