import { HOUR_MS, MINUTE_MS } from './units.ts';
import type { Zoned } from './zoned.ts';
import { zoned } from './zoned.ts';

/** Those that questions can have. */
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
/** Minutes are for alerts. */
export type Interval = 'minute' | (typeof INTERVALS)[number];

/** The first day of the week: Sunday nearly everywhere, Monday in lifecycle. */
export type WeekStart = 'sunday' | 'monday';

/** The start of the interval that contains this instant. */
export function startOfInterval(at: number, interval: Interval, timezone: string, week: WeekStart = 'sunday'): number {
  return floorZoned(zoned(at, timezone), interval, week).epochMilliseconds;
}

function floorZoned(time: Zoned, interval: Interval, week: WeekStart): Zoned {
  switch (interval) {
    case 'minute':
    case 'hour':
      return time.round({ smallestUnit: interval, roundingMode: 'floor' });
    case 'day':
      return time.startOfDay();
    case 'week':
      return time.subtract({ days: daysIntoWeek(time.dayOfWeek, week) }).startOfDay();
    case 'month':
      return time.with({ day: 1 }).startOfDay();
  }
}

/** Temporal counts from Monday, 1, to Sunday, 7. */
const daysIntoWeek = (dayOfWeek: number, week: WeekStart): number =>
  week === 'sunday' ? dayOfWeek % 7 : dayOfWeek - 1;

/** The start of the interval after the one that starts at `start`. */
export function nextIntervalStart(
  start: number,
  interval: Interval,
  timezone: string,
  week: WeekStart = 'sunday',
): number {
  if (interval === 'minute') return start + MINUTE_MS;
  if (interval !== 'hour') {
    return startOfInterval(addUnits(start, 1, interval, timezone), interval, timezone, week);
  }
  // Where clocks go back by half an hour, one hour of the clock lasts 90 minutes.
  for (let at = start + HOUR_MS; ; at += HOUR_MS) {
    const next = startOfInterval(at, interval, timezone);
    if (next > start) return next;
  }
}

type Unit = Interval | 'year';

/** Calendar addition in the project's time zone: a day later is the same time of day, a month later the same day. */
export const addUnits = (at: number, count: number, unit: Unit, timezone: string): number =>
  zoned(at, timezone).add({ [`${unit}s`]: count }).epochMilliseconds;
