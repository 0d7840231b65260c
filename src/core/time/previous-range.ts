import { addUnits, type Interval, nextIntervalStart, startOfInterval } from './interval.ts';
import type { Range } from './range.ts';
import { ticksOf } from './ticks.ts';
import { zoned } from './zoned.ts';

/**
 * The period to compare with: as long as this one, and before it. Hours begin at the same time of day. `-7d`, `-14d`
 * and so on include today, one day more than they say; their comparison begins a day later, so that the same days of
 * the week are compared.
 */
export function previousRange(
  range: Range,
  interval: Interval,
  timezone: string,
  dateFrom?: string,
  dateTo?: string,
): Range {
  if (interval === 'hour') return previousHours(range, timezone);
  const days = ticksOf(range, 'day', timezone).length;
  const isWholeWeeks = interval === 'day' && dateTo === undefined && isMultipleOfWeek(dateFrom);
  const daysAfter = (at: number, count: number): number =>
    startOfInterval(addUnits(at, count, 'day', timezone), 'day', timezone);
  const from = daysAfter(startOfInterval(range.from, 'day', timezone), (isWholeWeeks ? 1 : 0) - days);
  return { from, until: daysAfter(from, days) };
}

function isMultipleOfWeek(dateFrom: string | undefined): boolean {
  const [, days] = /^-?(\d+)d$/.exec(dateFrom ?? '') ?? [];
  return days !== undefined && Number(days) > 0 && Number(days) % 7 === 0;
}

function previousHours(range: Range, timezone: string): Range {
  const length = range.until - range.from;
  const { hour } = zoned(range.from, timezone);
  const from = startOfInterval(zoned(range.from - length, timezone).with({ hour }).epochMilliseconds, 'hour', timezone);
  return { from, until: nextIntervalStart(startOfInterval(from + length - 1, 'hour', timezone), 'hour', timezone) };
}
