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

const AGO = /^-?(\d{1,5})([dwmy])$/;
const UNITS = { d: 'day', w: 'week', m: 'month', y: 'year' } as const;

/** The period that begins so long before this one (`-1y`, `-30d`) and is as long; undefined where that is no time. */
export function earlierRange(range: Range, ago: string, interval: Interval, timezone: string): Range | undefined {
  const [, count, letter] = AGO.exec(ago) ?? [];
  if (letter === undefined || Number(count) === 0) return undefined;
  const from = addUnits(range.from, -Number(count), UNITS[letter as keyof typeof UNITS], timezone);
  if (interval === 'hour') return { from, until: from + range.until - range.from };
  const days = ticksOf(range, 'day', timezone).length;
  const start = startOfInterval(from, 'day', timezone);
  return { from: start, until: startOfInterval(addUnits(start, days, 'day', timezone), 'day', timezone) };
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
