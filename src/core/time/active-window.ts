import { addUnits, type Interval } from './interval.ts';
import type { Range } from './range.ts';

/**
 * The span in which somebody counts as active at an interval: the 7 or 30 days that end with its first day. Hours roll:
 * the last whole days of the span end a day after the hour began, and the hour in which it begins is no longer in it.
 */
export function activeWindow(start: number, days: number, interval: Interval, timezone: string): Range {
  const edge = interval === 'hour' ? 1 : 0;
  return {
    from: addUnits(start, 1 - days, 'day', timezone) + edge,
    until: addUnits(start, 1, 'day', timezone) + edge,
  };
}
