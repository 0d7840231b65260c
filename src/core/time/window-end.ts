import { addUnits } from './interval.ts';
import type { Window } from './range.ts';
import { isInRange, type Range } from './range.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from './units.ts';
import { nextTransition, previousTransition } from './zoned.ts';

const LENGTHS: Partial<Record<Window['unit'], number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
};

/**
 * When a window that opens at a given time closes. Same as `addUnits`, but uses Temporal only for months, and for days
 * across a change of the clocks: funnels call it for every attempt.
 */
export function windowEnds({ count, unit }: Window, timezone: string): (from: number) => number {
  const length = LENGTHS[unit];
  const byCalendar = (from: number): number => addUnits(from, count, unit, timezone);
  if (length === undefined) return byCalendar;
  const ms = count * length;
  if (unit === 'minute' || unit === 'hour' || timezone === 'UTC') return (from) => from + ms;
  // Ranges without a change of the clocks, in which all days have the same length.
  const regular: Range[] = [];
  const regularAt = (from: number): Range => {
    const known = regular.find((range) => isInRange(from, range));
    if (known !== undefined) return known;
    const range = { from: previousTransition(from, timezone), until: nextTransition(from, timezone) };
    regular.push(range);
    return range;
  };
  return (from) => (from + ms < regularAt(from).until ? from + ms : byCalendar(from));
}
