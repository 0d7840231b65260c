/** Retention counts periods back from its last day; these turn dates into such counts. */
import { addDays, daysBetween } from '../../lib/local-dates.ts';

export const MIN_PERIODS = 2;
/** Enough to read; more would only be slow. */
export const MAX_PERIODS = 60;

const utc = (day: string): Date => new Date(`${day}T00:00Z`);

/** How many periods touch the days; weeks begin on Sunday. */
export function periodsBetween(start: string, end: string, period: string): number {
  const [from, to] = [utc(start), utc(end)];
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

/** The day on which the first of so many periods begins, the last of which has the end. */
export function startOfPeriods(end: string, period: string, count: number): string {
  if (period === 'Hour') return addDays(end, -Math.max(0, Math.ceil(count / 24) - 1));
  if (period === 'Week') return addDays(end, -utc(end).getUTCDay() - 7 * (count - 1));
  if (period !== 'Month') return addDays(end, 1 - count);
  const at = utc(end);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - count + 1, 1)).toISOString().slice(0, 10);
}
