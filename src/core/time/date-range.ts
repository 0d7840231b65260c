import { invalid } from '../errors.ts';
import { parseMoment } from './parse-moment.ts';
import { fromLocal, type LocalUnit, startOfLocal, toLocal } from './zone.ts';

export type RangeInterval = 'hour' | 'day' | 'week' | 'month';

export interface RangeQuestion {
  dateFrom: string | undefined;
  dateTo: string | undefined;
  interval: RangeInterval;
  /** Times of day are meant as they are given; otherwise the range is one of whole days. */
  isExplicit: boolean;
  /** One value for each interval is asked for: then a range from a moment to itself means the interval it begins. */
  isSeries: boolean;
  timezone: string;
  now: number;
  /** What `all` begins with. */
  earliest: number;
}

/** Both ends belong to it; ms UTC. */
export interface DateRange {
  from: number;
  to: number;
}

const WEEK_AGO = '-7d';
const MINUTE = 60_000;

export function dateRange(question: RangeQuestion): DateRange {
  const { dateFrom = WEEK_AGO, dateTo, interval, isExplicit, isSeries, timezone, now } = question;
  const isExact = (text: string): boolean => interval === 'hour' || isExplicit || text.includes('h');
  const first = readDate('date_from', dateFrom, question);
  const last = dateTo === undefined ? now : readDate('date_to', dateTo, question);
  const from = isExact(dateFrom) ? first : startOf(first, 'day', 0, timezone);
  if (isSeries && dateTo !== undefined && first === last) return { from, to: endOfPoint(from, interval, timezone) };
  if (dateTo === undefined && interval === 'hour') return { from, to: now + MINUTE };
  return { from, to: isExact(dateTo ?? '') ? last : endOfDays(last, 0, timezone) };
}

const startOf = (time: number, unit: LocalUnit, count: number, timezone: string): number =>
  fromLocal(startOfLocal(toLocal(time, timezone), unit, count), timezone);

/** The last millisecond of the day that is so many days after. */
const endOfDays = (time: number, days: number, timezone: string): number =>
  startOf(time, 'day', days + 1, timezone) - 1;

function endOfPoint(from: number, interval: RangeInterval, timezone: string): number {
  if (interval === 'hour') return from + 60 * MINUTE;
  if (interval === 'month') return startOf(from, 'month', 1, timezone) - 1;
  return endOfDays(from, interval === 'week' ? 6 : 0, timezone);
}

const UNITS: Readonly<Record<string, LocalUnit>> = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' };

function readDate(attr: string, text: string, { timezone, now, earliest }: RangeQuestion): number {
  if (text === 'all') return earliest;
  const [, count = '0', letter = '', edge] = /^(?:-(\d{1,6}))?([hdwmy])(Start|End)$/.exec(text) ?? [];
  const unit = UNITS[letter];
  if (unit) {
    const start = startOf(now, unit, -Number(count), timezone);
    return edge === 'Start' ? start : startOf(start, unit, 1, timezone) - 1;
  }
  const moment = parseMoment(text, now);
  if (moment === undefined) throw invalid(attr, `Not a date: ${JSON.stringify(text.slice(0, 100))}.`);
  // A date without a zone is one of the project's calendar.
  return /^\d{4}-\d\d-\d\d([T ][\d:.]+)?$/.test(text) ? fromLocal(moment, timezone) : moment;
}
