import { DAY_MS } from './units.ts';

/**
 * A timestamp as clients send it, as ms UTC; undefined where it is invalid.
 *
 * The server's own time zone must not matter, so only forms with an explicit zone are left to `Date.parse`; without one it
 * is UTC. Digits beyond milliseconds are cut off. Hot: parsed for every event, so Temporal is not used here.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string' || value.length > MAX_TIMESTAMP_LENGTH) return undefined;
  return withinSupportedYears(isPlainUtc(value) ? Date.parse(value) : parseText(value.trim()));
}

/** Keeps the patterns below cheap. */
const MAX_TIMESTAMP_LENGTH = 64;
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = Date.UTC(10_000, 0, 1);

/** Whole ms within the years 0 to 9999; undefined outside of them. */
export const withinSupportedYears = (ms: number | undefined): number | undefined =>
  ms !== undefined && ms >= YEAR_0 && ms < YEAR_10000 ? Math.floor(ms) : undefined;

/** Seconds or milliseconds since 1970: 11 digits and fewer are seconds, as in the query parameter `_`. */
const fromEpoch = (value: number): number | undefined =>
  withinSupportedYears(Math.abs(value) < 100_000_000_000 ? value * 1000 : value);

/** `2023-01-01T12:00:00.000Z`, as nearly all SDKs send it: has a fast path. */
const isPlainUtc = (text: string): boolean =>
  text.length >= 20 && text.charCodeAt(10) === 84 && text.charCodeAt(text.length - 1) === 90;

function parseText(text: string): number | undefined {
  const [date, rest] = splitDate(text);
  const day = parseDay(date);
  if (day !== undefined) return addTime(day, rest);
  if (/^\d{10}(?:\d{3})?(?:\.\d+)?$/.test(text)) return fromEpoch(Number(text));
  return parseOther(text);
}

function splitDate(text: string): [date: string, rest: string] {
  const end = text.search(/[T ]/i);
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

const CALENDAR = /^(\d{4})-?(\d\d)(?:-?(\d\d))?$/;
const WEEK = /^(\d{4})-?W(\d\d)(?:-?([1-7]))?$/;
const ORDINAL = /^(\d{4})-?(\d{3})$/;

/** Midnight UTC of an ISO 8601 date: calendar, week (`2021-W43-5`) or ordinal (`2021-302`). */
function parseDay(text: string): number | undefined {
  const week = WEEK.exec(text);
  if (week) return dayOfWeek(Number(week[1]), Number(week[2]), Number(week[3] ?? 1));
  const ordinal = ORDINAL.exec(text);
  if (ordinal) return dayOfYear(Number(ordinal[1]), Number(ordinal[2]));
  const calendar = CALENDAR.exec(text);
  if (!calendar) return undefined;
  return dayOfMonth(Number(calendar[1]), Number(calendar[2]), Number(calendar[3] ?? 1));
}

/** `Date.UTC` reads years below 100 as 19xx; `setUTCFullYear` does not. */
const startOfYear = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1);

/** A day that the month does not have becomes one of the next month, as in `Date.parse`. */
const dayOfMonth = (year: number, month: number, day: number): number | undefined =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31 ? new Date(0).setUTCFullYear(year, month - 1, day) : undefined;

const dayOfYear = (year: number, day: number): number | undefined =>
  day >= 1 && day <= 366 ? startOfYear(year) + (day - 1) * DAY_MS : undefined;

function dayOfWeek(year: number, week: number, day: number): number | undefined {
  if (week < 1 || week > 53) return undefined;
  // Week 1 is the one that holds 4 January; weeks begin on Monday.
  const fourth = startOfYear(year) + 3 * DAY_MS;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  return monday + ((week - 1) * 7 + day - 1) * DAY_MS;
}

const TIME = /^(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

function addTime(day: number, text: string): number | undefined {
  if (text === '') return day;
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [hours, minutes, seconds] = [Number(parts[1]), Number(parts[2] ?? 0), Number(parts[3] ?? 0)];
  if (hours > 24 || minutes > 59 || seconds > 60) return undefined;
  const millis = Number(`${parts[4] ?? ''}000`.slice(0, 3));
  return day + ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis - zoneOffset(parts[5]);
}

function zoneOffset(zone: string | undefined): number {
  if (zone === undefined || !/^[+-]/.test(zone)) return 0;
  const digits = zone.replace(/\D/g, '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Mail dates and similar, with a year of four digits. */
function parseOther(text: string): number | undefined {
  if (!/\b\d{4}\b/.test(text)) return undefined;
  const hasZone = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)(?:\s*\(.*\))?$/i.test(text);
  const ms = Date.parse(hasZone ? text : `${text} UTC`);
  return Number.isNaN(ms) ? undefined : ms;
}
