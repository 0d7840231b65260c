/** Dates as the API takes them (`-7d`, `mStart`, `2026-11-16`), as days of the project's calendar. */
import { localTime } from '../charts/rules/unfinished.ts';
import { knownZone } from './dates.ts';

const DAY_MS = 86_400_000;
const RELATIVE = /^-?(\d*)([hdwmqy])(Start|End)?$/;

const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The day that a date means; null for all time. `today` is a date in the project's time zone. */
export function dayOf(date: string, today: string): string | null {
  if (/^\d{4}-\d\d-\d\d/.test(date)) return date.slice(0, 10);
  const [, count = '', unit = '', place] = RELATIVE.exec(date) ?? [];
  if (unit === '') return null;
  const at = new Date(`${today}T00:00Z`);
  const amount = Number(count);
  if (unit === 'h') at.setTime(at.getTime() - Math.ceil(amount / 24) * DAY_MS);
  if (unit === 'd') at.setUTCDate(at.getUTCDate() - amount);
  if (unit === 'w') at.setUTCDate(at.getUTCDate() - 7 * amount);
  if (unit === 'm' || unit === 'q') moveMonths(at, -amount * (unit === 'q' ? 3 : 1));
  if (unit === 'y') moveMonths(at, -12 * amount);
  if (place !== undefined) moveTo(at, unit, place === 'End');
  return dateOf(at);
}

/** A month before March 31 is the end of February. */
function moveMonths(at: Date, count: number): void {
  const day = at.getUTCDate();
  at.setUTCMonth(at.getUTCMonth() + count, 1);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last));
}

/** To the first or last day of the week, which begins on Sunday, the month or the year. */
function moveTo(at: Date, unit: string, isEnd: boolean): void {
  if (unit === 'w') at.setUTCDate(at.getUTCDate() - at.getUTCDay() + (isEnd ? 6 : 0));
  if (unit === 'm') at.setUTCMonth(at.getUTCMonth() + (isEnd ? 1 : 0), isEnd ? 0 : 1);
  if (unit === 'y') at.setUTCMonth(isEnd ? 11 : 0, isEnd ? 31 : 1);
}

/** The day that many days later. */
export const addDays = (day: string, count: number): string =>
  dateOf(new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS));

/** How many days lie between two days. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY_MS);

/** Today in the zone. */
export const localDay = (zone: string): string => localTime(new Date().toISOString(), knownZone(zone)).slice(0, 10);

/** When the day begins in the zone, in milliseconds. */
export const startOfDay = (day: string, zone: string): number => momentOf(`${day}T00:00`, zone);

/** When the zone's clock shows this time (`2026-11-16T10:12`), in milliseconds. */
export function momentOf(local: string, zone: string): number {
  const utc = Date.parse(`${local}Z`);
  // Twice, because the offset may be another one than at the first guess.
  const first = utc - offsetAt(utc, zone);
  return utc - offsetAt(first, zone);
}

/** How far the zone's clock is ahead of UTC, to the minute. */
function offsetAt(ms: number, zone: string): number {
  const minute = Math.floor(ms / 60_000) * 60_000;
  return Date.parse(`${localTime(new Date(minute).toISOString(), zone).replace(' ', 'T')}Z`) - minute;
}
