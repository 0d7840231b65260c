import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import { type EventQuery, withLookback } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { StickinessItem } from '../rules/answers.ts';
import type { Series, StickinessPeopleQuestion, StickinessQuestion } from '../rules/question.ts';
import { sum } from '../rules/statistics.ts';
import { activeTicks, activitySql, MAX_BITMAP_TICKS } from '../shared/activity-bitmaps.ts';
import { actorOfMath } from '../shared/aggregate-sql.ts';
import { boundsOf, tickSql } from '../shared/tick-sql.ts';

export async function answerStickiness(
  deps: QueryDeps,
  projectId: number,
  question: StickinessQuestion,
): Promise<StickinessItem[]> {
  const { range, previous } = question;
  const query = await prepareSeries(deps, projectId, question, question.series);
  const items: StickinessItem[] = [];
  for (const [index, { entity }] of question.series.entries()) {
    // Unknown actions are left out.
    if (entity.kind === 'action' && !entity.isKnown) continue;
    const item = (during: Range, period: StickinessItem['period']) => itemOf(query, question, index, during, period);
    items.push(await item(range, previous === null ? null : 'current'));
    if (previous !== null) items.push(await item(previous, 'previous'));
  }
  return items;
}

const prepareSeries = (
  deps: QueryDeps,
  projectId: number,
  { filter, range, previous, timezone }: StickinessQuestion,
  series: readonly Series[],
): Promise<EventQuery> =>
  prepareEventQuery(deps, projectId, {
    filters: [filter],
    entities: series.map(({ entity }) => entity),
    sessionRange: withLookback(range, previous),
    timezone,
    hasActors: series.some(({ math }) => actorOfMath(math).kind === 'person'),
  });

async function itemOf(
  query: EventQuery,
  question: StickinessQuestion,
  index: number,
  range: Range,
  period: StickinessItem['period'],
): Promise<StickinessItem> {
  const { interval, timezone } = question;
  const series = question.series[index] as Series;
  const statement = query.begin();
  const rows = await statement.query(
    `select intervals, count(*) as n from (${activeIntervalsSql(statement, question, series, range)}) a group by intervals`,
  );
  const counts = new Map(rows.map((row) => [Number(row['intervals']), Number(row['n'])]));
  const days = ticksOf(range, interval, timezone).map((_, at) => at + 1);
  const data = days.map((day) => counts.get(day) ?? 0);
  const labels = days.map((day, at) =>
    period === null ? `${day} ${interval}${day === 1 ? '' : 's'}` : `${interval} ${at}`,
  );
  return { series: index, label: series.entity.name, period, data, count: sum(data), days, labels };
}

/** Each actor and the number of intervals in which they were active. */
function activeIntervalsSql(
  statement: EventStatement,
  { filter, interval, timezone }: StickinessQuestion,
  { entity, math }: Series,
  range: Range,
): string {
  const ticks = ticksOf(range, interval, timezone);
  const tick = tickSql(statement.sql, 'e.timestamp', boundsOf(ticks));
  const who = actorOfMath(math);
  const actor = statement.actor(who);
  const where = `${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(entity)}
    and ${statement.matches(filter)}`;
  if (ticks.length <= MAX_BITMAP_TICKS) {
    const bits = activitySql(statement, { actor: who, ticks: ticks.length, tick, value: null, join: '', where });
    return `select actor, ${activeTicks(statement, ticks.length)} as intervals from (${bits}) b`;
  }
  return `select actor, count(distinct tick) as intervals
    from (
      select ${actor} as actor, ${tick} as tick ${statement.from()}
      where ${where} and ${actor} is not null
    ) m
    group by actor`;
}

export async function findStickinessPeople(
  deps: QueryDeps,
  projectId: number,
  { stickiness, series, intervals }: StickinessPeopleQuestion,
  { limit, offset }: Page,
): Promise<string[]> {
  const query = await prepareSeries(deps, projectId, stickiness, [series]);
  const statement = query.begin();
  const { sql } = statement;
  const rows = await statement.query(
    `select cast(actor as varchar) as actor
    from (${activeIntervalsSql(statement, stickiness, series, stickiness.range)}) a
    where intervals = ${sql.integer(intervals)}
    order by actor
    limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => String(row['actor']));
}
