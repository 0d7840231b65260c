/** The range of dates that a question asks for: `date_from`, `date_to` and `interval`, in the project's time zone. */
import { invalid } from '../errors.ts';
import { addUnits, type Interval, nextIntervalStart, startOfInterval } from './interval.ts';
import { parseDate } from './parse-date.ts';
import type { Range } from './range.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

export interface DateFields {
  dateFrom: string | undefined;
  dateTo: string | undefined;
  /** Times of day count as they are given, whatever the interval. */
  explicit: boolean;
  interval: Interval;
}

export interface DateContext {
  now: number;
  timezone: string;
  /** When the project's first event happened; `all` begins there. */
  earliest?: number | null | undefined;
}

const DEFAULT_DAYS = 7;

/** A range that begins in the future has no events yet: where it would end before it begins, it is empty. */
export function readDateRange(fields: DateFields, context: DateContext): Range {
  const range = resolveDates(fields, context);
  if (range.from < range.until) return range;
  if (range.from > context.now) return { from: range.from, until: range.from };
  throw invalid('date_from', 'The range of dates is empty: date_from has to lie before date_to.');
}

/**
 * What the dates mean. Whole days, unless the interval or the date is in hours (`-24h`): the first day
 * counts from its beginning and the last one to its end, even when a time of day was given. The range may be empty.
 */
export const resolveDates = (fields: DateFields, context: DateContext): Range => ({
  from: readFrom(fields, context),
  until: readUntil(fields, context),
});

function readFrom({ dateFrom, explicit, interval }: DateFields, context: DateContext): number {
  const { now, timezone } = context;
  const weekAgo = startOfDay(addUnits(now, -DEFAULT_DAYS, 'day', timezone), timezone);
  if (dateFrom === undefined) return weekAgo;
  const at = dateFrom === 'all' ? (context.earliest ?? weekAgo) : parse('date_from', dateFrom, context);
  return explicit || isHourly(interval, dateFrom) ? at : startOfDay(at, timezone);
}

function readUntil({ dateTo, explicit, interval }: DateFields, context: DateContext): number {
  const { now, timezone } = context;
  if (dateTo === undefined) return interval === 'hour' ? now + MINUTE_MS : startOfNextDay(now, timezone);
  const at = parse('date_to', dateTo, context);
  return explicit || isHourly(interval, dateTo) ? at + 1 : startOfNextDay(at, timezone);
}

const isHourly = (interval: Interval, text: string): boolean => interval === 'hour' || text.includes('h');

/** The same date as `date_from` and `date_to` means the one interval that begins there. */
export function readPointRange(text: string, interval: Interval, context: DateContext): Range {
  const { timezone } = context;
  const at = parse('date_from', text, context);
  if (interval === 'hour') return { from: at, until: at + HOUR_MS };
  const from = startOfDay(at, timezone);
  if (interval !== 'month') return { from, until: startOfNextDay(from, timezone, interval === 'week' ? 7 : 1) };
  return { from, until: nextIntervalStart(startOfInterval(from, 'month', timezone), 'month', timezone) };
}

const startOfDay = (at: number, timezone: string): number => startOfInterval(at, 'day', timezone);

/** Rounded again, because a day may begin at 01:00 where midnight is skipped. */
const startOfNextDay = (at: number, timezone: string, days = 1): number =>
  startOfDay(addUnits(startOfDay(at, timezone), days, 'day', timezone), timezone);

function parse(attr: string, text: string, { now, timezone }: DateContext): number {
  const at = parseDate(text, now, timezone);
  if (at !== undefined) return at;
  throw invalid(attr, `${JSON.stringify(text.slice(0, 50))} is not a date: use 2024-01-31, an ISO time, or -7d.`);
}

const MAX_TICKS = 20_000;
const MIN_LENGTH_MS: Record<Interval, number> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: 23 * HOUR_MS,
  week: 167 * HOUR_MS,
  month: 28 * DAY_MS,
};

/** Fifty years of days or two of hours are allowed; a century of hours would fill the memory. */
export function checkTickCount(range: Range, interval: Interval): void {
  if ((range.until - range.from) / MIN_LENGTH_MS[interval] <= MAX_TICKS) return;
  throw invalid('interval', `The range has more than ${MAX_TICKS} intervals of one ${interval}: choose longer ones.`);
}

/** Trends count whole intervals: weeks and months always, hours and days where the range has at least two of them. */
export function roundToInterval(range: Range, interval: Interval, timezone: string): Range {
  if (range.from >= range.until) return range;
  const isShort = interval === 'hour' || interval === 'day' ? range.until - range.from < 2 * LENGTH[interval] : false;
  return isShort ? range : { from: startOfInterval(range.from, interval, timezone), until: range.until };
}

const LENGTH = { hour: HOUR_MS, day: DAY_MS } as const;
