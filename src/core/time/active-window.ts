import { addUnits, type Interval, startOfInterval } from './interval.ts';
import type { Range } from './range.ts';

/**
 * The range in which a person counts as active at an interval: the 7 or 30 days that end with its first day. For hours
 * it rolls: it ends a day after the hour began, and leaves out the very moment at which it begins.
 */
export function activeWindow(start: number, days: number, interval: Interval, timezone: string): Range {
  const daysLater = (count: number): number => {
    const at = addUnits(start, count, 'day', timezone);
    return interval === 'hour' ? at + 1 : startOfInterval(at, 'day', timezone);
  };
  return { from: daysLater(1 - days), until: daysLater(1) };
}
