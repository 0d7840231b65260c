import type { Range } from '../../../core/time/range.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { tickSql } from '../shared/tick-sql.ts';

/** An interval with the days in which a person counts as active; those of consecutive intervals overlap. */
export interface WindowTick extends Range {
  tick: number;
}

/**
 * Actors who were active in overlapping windows. The bounds of all windows split time into segments; each actor is found
 * once per segment, and counted in every window that contains it: actors are multiplied, but not events.
 */
export function activeActorsSql(
  statement: EventStatement,
  windows: readonly WindowTick[],
  matched: (during: Range, segment: string) => string,
): string {
  const bounds = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b);
  const places = new Map(bounds.map((bound, at) => [bound, String(at)]));
  const { sql } = statement;
  const rows = sql.rows(
    ['tick', 'first', 'past'],
    windows.map(({ tick, from, until }) => ({
      tick: String(tick),
      first: places.get(from) ?? '',
      past: places.get(until) ?? '',
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
