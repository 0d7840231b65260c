import { parseTimestamp, withinSupportedYears } from '../../../../core/time/parse-timestamp.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, WEEK_MS } from '../../../../core/time/units.ts';
import { toNumber } from './property-text.ts';

/** The date of a condition, which may be relative to now; ms UTC. */
type FlagDate = (now: number) => number;

const RELATIVE = /^-?(\d+)([hdwmy])$/;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: WEEK_MS };

export const isRelativeDate = (value: unknown): value is string => typeof value === 'string' && RELATIVE.test(value);

/** Reads `2023-05-01` or `-7d`; null for anything else. Relative dates are always in the past. */
export function parseFlagDate(value: unknown): FlagDate | null {
  if (typeof value !== 'string') return null;
  const [, digits, unit] = RELATIVE.exec(value) ?? [];
  if (digits !== undefined && unit !== undefined && Number(digits) < 10_000) return relative(Number(digits), unit);
  const moment = toNumber(value) === null ? parseDate(value) : undefined;
  return moment === undefined ? null : () => moment;
}

function relative(count: number, unit: string): FlagDate {
  const length = UNIT_MS[unit];
  if (length !== undefined) return (now) => now - count * length;
  return unit === 'm' ? (now) => stepBackMonths(now, count) : (now) => monthsBefore(now, 12 * count);
}

/** Month by month, each step from the result of the last: two months before 31 March is 28 January. */
function stepBackMonths(now: number, count: number): number {
  let moment = now;
  for (let left = count; left > 0; left--) {
    // Every month has a 28th, so the remaining months can be subtracted at once.
    if (new Date(moment).getUTCDate() <= 28) return monthsBefore(moment, left);
    moment = monthsBefore(moment, 1);
  }
  return moment;
}

/** The same day and time some months earlier, or the last day of that month if it is shorter. */
function monthsBefore(moment: number, months: number): number {
  const date = new Date(moment);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(date).setUTCMonth(date.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, new Date(last).getUTCDate()));
}

/** Reads a property as a date; ms UTC. A number, or the text of one, is seconds since 1970. */
export function parsePropertyDate(value: unknown): number | undefined {
  const seconds = toNumber(value);
  if (seconds !== null) return withinSupportedYears(seconds * 1000);
  return typeof value === 'string' ? parseDate(value) : undefined;
}

/** Browsers and SDKs also write `2022-05-01 00:00:00 GMT`. */
const parseDate = (text: string): number | undefined => parseTimestamp(text.replace(/ GMT$/, 'Z'));

const DAY_TEXT = /^\s*\d{4}-\d\d-\d\d\s*$/;

/** The precision of `is_date_exact`: a day if the condition's date has no time, else a second. */
export const datePrecision = (value: string): number => (DAY_TEXT.test(value) ? DAY_MS : SECOND_MS);
