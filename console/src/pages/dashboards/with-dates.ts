/** The date range of a dashboard, applied to the query of a tile. */
import { dayOf, daysBetween } from '../../lib/local-dates.ts';
import type { Fields } from '../insights/question.ts';

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
  const end = dayOf(typeof dates['date_to'] === 'string' ? dates['date_to'] : 'dStart', today);
  const start = dayOf(dates['date_from'], today);
  const count =
    start === null || end === null ? MAX_PERIODS : periodsBetween(start, end, String(merged['period'] ?? 'Day'));
  return { ...merged, total_intervals: Math.min(MAX_PERIODS, Math.max(MIN_PERIODS, count)) };
}

/** How many periods touch the range; weeks begin on Sunday. */
function periodsBetween(start: string, end: string, period: string): number {
  const [from, to] = [new Date(`${start}T00:00Z`), new Date(`${end}T00:00Z`)];
  const days = daysBetween(start, end);
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
