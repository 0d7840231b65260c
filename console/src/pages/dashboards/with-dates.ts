/** The date range of a dashboard, applied to the query of a tile. */
import type { Fields } from '../insights/question.ts';

const DAY_MS = 86_400_000;
const MIN_PERIODS = 2;
/** Enough to read; more would only be slow. */
const MAX_PERIODS = 60;

/**
 * The API ignores the start date of retention, which instead counts periods back from the end. So a date range becomes
 * the number of periods in it. `today` is a date in the project's time zone.
 */
export function withDates(filters: Fields, dates: Fields, today: string): Fields {
  const merged = { ...filters, ...dates };
  if (merged['insight'] !== 'RETENTION' || typeof dates['date_from'] !== 'string') return merged;
  const end = startOf(typeof dates['date_to'] === 'string' ? dates['date_to'] : 'dStart', today);
  const start = startOf(dates['date_from'], today);
  const count =
    start === null || end === null ? MAX_PERIODS : periodsBetween(start, end, String(merged['period'] ?? 'Day'));
  return { ...merged, total_intervals: Math.min(MAX_PERIODS, Math.max(MIN_PERIODS, count)) };
}

const RELATIVE = /^-?(\d*)([hdwmqy])(Start)?$/;

/** Midnight UTC of the local date; null for all time. */
function startOf(date: string, today: string): number | null {
  if (/^\d{4}-\d\d-\d\d/.test(date)) return Date.parse(`${date.slice(0, 10)}T00:00Z`);
  const [, count = '', unit = '', isStart] = RELATIVE.exec(date) ?? [];
  if (unit === '') return null;
  const at = new Date(`${today}T00:00Z`);
  const amount = Number(count);
  if (unit === 'h') at.setTime(at.getTime() - Math.ceil(amount / 24) * DAY_MS);
  if (unit === 'd') at.setUTCDate(at.getUTCDate() - amount);
  if (unit === 'w') at.setUTCDate(at.getUTCDate() - 7 * amount);
  if (unit === 'm' || unit === 'q') at.setUTCMonth(at.getUTCMonth() - amount * (unit === 'q' ? 3 : 1));
  if (unit === 'y') at.setUTCFullYear(at.getUTCFullYear() - amount);
  if (isStart && unit === 'm') at.setUTCDate(1);
  if (isStart && unit === 'y') at.setUTCMonth(0, 1);
  return at.getTime();
}

/** How many periods touch the range; weeks begin on Sunday. */
function periodsBetween(start: number, end: number, period: string): number {
  const [from, to] = [new Date(start), new Date(end)];
  const days = Math.round((end - start) / DAY_MS);
  switch (period) {
    case 'Hour':
      return (days + 1) * 24;
    case 'Week':
      return Math.floor((days + from.getUTCDay()) / 7) + 1;
    case 'Month':
      return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth() + 1;
    default:
      return days + 1;
  }
}
