import { parseTimestamp, withinSupportedYears } from './parse-timestamp.ts';

/**
 * A moment in a question: an ISO 8601 date or time, or how long ago (`5d`, `-2h`; hours, days, weeks, months, quarters,
 * years). As ms UTC; undefined where it is neither.
 */
export function parseMoment(text: string, now: number): number | undefined {
  const [, count, unit] = /^-?(\d{1,6})([hdwmqy])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return withinSupportedYears(ago(Number(count), unit, now));
  return parseTimestamp(text.replace(BARE_PLUS, '$1+$2'));
}

/** `+00:00` put into an address without escaping arrives as ` 00:00`. */
const BARE_PLUS = /^(\d+-\d\d-\d\dT\S*) (\d\d:?\d\d)$/;

const HOUR = 3_600_000;
const LENGTHS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
const MONTHS: Readonly<Record<string, number>> = { m: 1, q: 3, y: 12 };

function ago(count: number, unit: string, now: number): number {
  const length = LENGTHS[unit];
  return length === undefined ? monthsAgo(count * (MONTHS[unit] ?? 1), now) : now - count * length;
}

/** The same day of an earlier month, or that month's last where it is shorter. */
export function monthsAgo(months: number, now: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
