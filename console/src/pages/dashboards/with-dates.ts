/** The date range of a dashboard, applied to the query of a tile. */
import { dayOf } from '../../lib/local-dates.ts';
import type { Fields } from '../insights/question.ts';
import { MAX_PERIODS, MIN_PERIODS, periodsBetween } from '../insights/retention-dates.ts';

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
