import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import { type InsightDeps, type Prepared, prepare, reachOf } from '../../../query/prepare.ts';
import { Statement } from '../../../query/statement.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { StickinessItem } from '../rules/answers.ts';
import { sum } from '../rules/numbers/statistics.ts';
import type { Series, StickinessPeopleQuestion, StickinessQuestion } from '../rules/question.ts';
import { activeTicks, activitySql, MAX_BITMAP_TICKS } from '../shared/activity-sql.ts';
import { actorOfMath } from '../shared/math-sql.ts';
import { tickSql } from '../shared/tick-sql.ts';

export async function answerStickiness(
  deps: InsightDeps,
  projectId: number,
  question: StickinessQuestion,
): Promise<StickinessItem[]> {
  const { range, previous } = question;
  const prepared = await prepareSeries(deps, projectId, question, question.series);
  const items: StickinessItem[] = [];
  for (const [index, { entity }] of question.series.entries()) {
    // What is not there is not shown as an empty line.
    if (entity.kind === 'action' && !entity.isKnown) continue;
    const item = (during: Range, period: StickinessItem['period']) =>
      itemOf(deps, prepared, question, index, during, period);
    items.push(await item(range, previous === null ? null : 'current'));
    if (previous !== null) items.push(await item(previous, 'previous'));
  }
  return items;
}

const prepareSeries = (
  deps: InsightDeps,
  projectId: number,
  { filter, range, previous }: StickinessQuestion,
  series: readonly Series[],
): Promise<Prepared> =>
  prepare(deps, projectId, {
    filters: [filter],
    entities: series.map(({ entity }) => entity),
    reach: reachOf(range, previous),
    hasActors: series.some(({ math }) => actorOfMath(math).kind === 'person'),
  });

async function itemOf(
  deps: InsightDeps,
  prepared: Prepared,
  question: StickinessQuestion,
  index: number,
  range: Range,
  period: StickinessItem['period'],
): Promise<StickinessItem> {
  const { interval, timezone } = question;
  const series = question.series[index] as Series;
  const statement = new Statement(deps.dialect, prepared);
  const rows = await prepared.run(
    statement,
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

/** Each actor, and in how many intervals they were active. */
function activeIntervalsSql(
  statement: Statement,
  { filter, interval, timezone }: StickinessQuestion,
  { entity, math }: Series,
  range: Range,
): string {
  const ticks = ticksOf(range, interval, timezone);
  const tick = tickSql(statement.sql, 'e.timestamp', [...ticks.map(({ start }) => start), ticks.at(-1)?.end ?? 0]);
  const who = actorOfMath(math);
  const actor = statement.actor(who);
  const where = `${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(entity)}
    and ${statement.holds(filter)}`;
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
  deps: InsightDeps,
  projectId: number,
  { stickiness, series, intervals }: StickinessPeopleQuestion,
  { limit, offset }: Page,
): Promise<string[]> {
  const prepared = await prepareSeries(deps, projectId, stickiness, [series]);
  const statement = new Statement(deps.dialect, prepared);
  const { sql } = statement;
  const rows = await prepared.run(
    statement,
    `select cast(actor as varchar) as actor
    from (${activeIntervalsSql(statement, stickiness, series, stickiness.range)}) a
    where intervals = ${sql.integer(intervals)}
    order by actor
    limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => String(row['actor']));
}
