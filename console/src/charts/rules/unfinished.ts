/**
 * Which period is not over yet. The API names periods by their start in the project's time zone (`2026-11-16 05:00:00`),
 * so the moment at which the result was computed is written the same way, and texts are compared: no offsets, no
 * daylight saving time, and not the clock of the browser.
 */
export type PeriodUnit = 'hour' | 'day' | 'week' | 'month';

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-16 05:12` in the zone. */
export function localTime(at: string, zone: string): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  return format.format(new Date(at));
}

const DAY_MS = 86_400_000;

/** The day (or hour) on which the period ends, exclusive. */
export function endOf(start: string, unit: PeriodUnit): string {
  if (unit === 'hour') return `${start.slice(0, 13)}:59~`;
  const [year = 0, month = 1] = start.split('-').map(Number);
  const ms =
    unit === 'month'
      ? Date.UTC(year, month, 1)
      : Date.parse(`${start.slice(0, 10)}T00:00Z`) + (unit === 'week' ? 7 : 1) * DAY_MS;
  return new Date(ms).toISOString().slice(0, 10);
}

/** Whether the period was running at `now`, a local time. */
const isUnfinished = (start: string, unit: PeriodUnit, now: string): boolean =>
  now < endOf(start.replace('T', ' '), unit);

/** The first unfinished period; null if all are over, or if these are no dates. */
export function firstUnfinished(starts: readonly (string | number)[], unit: PeriodUnit, now: string): number | null {
  const index = starts.findIndex((start) => typeof start === 'string' && isUnfinished(start, unit, now));
  return index < 0 ? null : index;
}
