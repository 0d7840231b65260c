import { addUnits, type Interval, nextIntervalStart, startOfInterval } from './interval.ts';
import type { Range } from './range.ts';
import { DAY_MS } from './units.ts';

/**
 * The range in which a person counts as active at an interval: the 7 or 30 days that end with its first day. For hours
 * it rolls: it ends with the hour, and begins just after the moment 7 or 30 times 24 hours before the hour began.
 */
export function activeWindow(start: number, days: number, interval: Interval, timezone: string): Range {
  if (interval === 'hour') {
    return { from: start - days * DAY_MS + 1, until: nextIntervalStart(start, 'hour', timezone) };
  }
  const daysLater = (count: number): number =>
    startOfInterval(addUnits(start, count, 'day', timezone), 'day', timezone);
  return { from: daysLater(1 - days), until: daysLater(1) };
}
