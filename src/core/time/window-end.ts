import { addUnits } from './interval.ts';
import { isInRange, type Range } from './range.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from './units.ts';
import type { Window } from './window.ts';
import { nextTransition, previousTransition } from './zoned.ts';

const LENGTHS: Partial<Record<Window['unit'], number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
};

/**
 * When a window that opens at some instant closes. The same as `addUnits`, but the calendar is asked only where it has
 * something to say: for months, and for days over a change of the clocks. A funnel asks for every attempt.
 */
export function windowEnds({ count, unit }: Window, timezone: string): (from: number) => number {
  const length = LENGTHS[unit];
  const byCalendar = (from: number): number => addUnits(from, count, unit, timezone);
  if (length === undefined) return byCalendar;
  const ms = count * length;
  if (unit === 'minute' || unit === 'hour' || timezone === 'UTC') return (from) => from + ms;
  // Between two changes of the clocks days are all of one length.
  const calm: Range[] = [];
  const calmAt = (from: number): Range => {
    const known = calm.find((range) => isInRange(from, range));
    if (known !== undefined) return known;
    const range = { from: previousTransition(from, timezone), until: nextTransition(from, timezone) };
    calm.push(range);
    return range;
  };
  return (from) => (from + ms < calmAt(from).until ? from + ms : byCalendar(from));
}
