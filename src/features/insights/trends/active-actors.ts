import { activeWindow } from '../../../core/time/active-window.ts';
import type { Range } from '../../../core/time/range.ts';
import type { Tick } from '../../../core/time/ticks.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import type { TrendsQuestion } from '../rules/question.ts';
import { boundsOf, tickSql } from '../shared/tick-sql.ts';

/** An interval with the days in which a person counts as active; those of consecutive intervals overlap. */
interface TickWindow extends Range {
  tick: number;
}

/**
 * As in PostHog: an hour that starts with the last instant of the range is empty, and a breakdown by property shows 0 in
 * intervals in which the project has no events at all.
 */
export async function activeWindows(
  query: EventQuery,
  { interval, timezone, breakdown }: TrendsQuestion,
  range: Range,
  ticks: readonly Tick[],
  days: number,
): Promise<TickWindow[]> {
  const withEvents = breakdown?.kind === 'property' ? await ticksWithEvents(query, boundsOf(ticks)) : null;
  return ticks.flatMap(({ start }, tick) => {
    if (interval === 'hour' && start === range.until - 1) return [];
    if (withEvents !== null && !withEvents.has(tick)) return [];
    const { from, until } = activeWindow(start, days, interval, timezone);
    return [{ tick, from, until: Math.min(until, range.until) }];
  });
}

async function ticksWithEvents(query: EventQuery, bounds: readonly number[]): Promise<ReadonlySet<number>> {
  const statement = query.begin();
  const during = statement.during({ from: bounds[0] ?? 0, until: bounds.at(-1) ?? 0 });
  const rows = await statement.query(
    `select distinct ${tickSql(statement.sql, 'e.timestamp', bounds)} as tick
    from event_rows e where ${statement.inProject()} and ${during}`,
  );
  return new Set(rows.map((row) => Number(row['tick'])));
}

/**
 * Actors who were active in overlapping windows. The bounds of all windows split time into segments; each actor is found
 * once per segment, and counted in every window that contains it: actors are multiplied, but not events.
 */
export function activeActorsSql(
  statement: EventStatement,
  windows: readonly TickWindow[],
  matched: (during: Range, segment: string) => string,
): string {
  const bounds = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b);
  const indexes = new Map(bounds.map((bound, at) => [bound, String(at)]));
  const { sql } = statement;
  const rows = sql.rows(
    ['tick', 'first', 'past'],
    windows.map(({ tick, from, until }) => ({
      tick: String(tick),
      first: indexes.get(from) ?? '',
      past: indexes.get(until) ?? '',
    })),
  );
  const during = { from: bounds[0] ?? 0, until: bounds.at(-1) ?? 0 };
  const inner = matched(during, tickSql(sql, 'e.timestamp', bounds));
  return `select a.value as value, w.tick as tick, count(distinct a.actor) as n
    from (select distinct value, tick as segment, actor from (${inner}) m where actor is not null) a
    join (
      select cast(r.tick as bigint) as tick, cast(r.first as bigint) as first, cast(r.past as bigint) as past
      from ${rows} r
    ) w on a.segment >= w.first and a.segment < w.past
    group by a.value, w.tick`;
}
