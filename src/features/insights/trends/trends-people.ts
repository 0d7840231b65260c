import { activeWindow } from '../../../core/time/active-window.ts';
import { startOfInterval } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import { withLookback } from '../../../query/event-query.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { FoundActor } from '../rules/answers.ts';
import type { TrendsPeopleQuestion } from '../rules/question.ts';
import { aggregateSql, measuredColumn } from '../shared/aggregate-sql.ts';
import { sliceSql } from '../shared/breakdown-sql.ts';
import { actorOfMath } from '../shared/math-sql.ts';

/** Whom a number of a trend counts: those with the most first. */
export async function findTrendsPeople(
  deps: QueryDeps,
  projectId: number,
  question: TrendsPeopleQuestion,
  { limit, offset }: Page,
): Promise<FoundActor[]> {
  const { series, filter, slice } = question;
  const { entity, math } = series;
  const actor = actorOfMath(math);
  const query = await prepareEventQuery(deps, projectId, {
    filters: [filter],
    entities: [entity],
    selection: slice,
    sessionRange: withLookback(question.range),
    hasActors: actor.kind === 'person',
  });
  const statement = query.begin();
  const range = peopleRange(question);
  const own = slice === null ? { join: '', condition: 'true' } : sliceSql(statement, slice, range);
  const measured = math.kind === 'property' ? math : ({ kind: 'total' } as const);
  const who = statement.actor(actor);
  const matched = `select cast(${who} as varchar) as value, 0 as tick, ${measuredColumn(statement, measured)}
    ${statement.from()} ${own.join}
    where ${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(entity)}
      and ${statement.matches(filter)} and ${own.condition} and ${who} is not null`;
  const actors = `select distinct value from (${matched}) d`;
  const numbers = aggregateSql(statement, matched, { math: measured, isCumulative: false, reach: range });
  const rows = await statement.query(
    // Whoever has nothing to take a statistic of belongs to the number all the same.
    `select a.value as actor, v.n as n from (${actors}) a left join (${numbers}) v on v.value = a.value
    order by coalesce(v.n, 0) desc, a.value
    limit ${statement.sql.integer(limit)} offset ${statement.sql.integer(offset)}`,
  );
  return rows.map((row) => ({ actor: String(row['actor']), value: row['n'] === null ? null : Number(row['n']) }));
}

/** Who was active is also asked of the days before. */
function peopleRange({ series: { math }, range, display, interval, timezone }: TrendsPeopleQuestion): Range {
  if (math.kind !== 'active') return range;
  const day = display === 'total' ? startOfInterval(range.until - 1, 'day', timezone) : range.from;
  return { from: activeWindow(day, math.days, interval, timezone).from, until: range.until };
}
