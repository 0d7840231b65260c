/** Time for the oracle: every instant is looked up in the time zone, one by one. */
import { Temporal } from 'temporal-polyfill';
import type { Interval, WeekStart } from '../../src/core/time/interval.ts';
import type { Range, Window } from '../../src/core/time/range.ts';

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

export interface Slot {
  start: number;
  end: number;
}

export const clockAt = (ms: number, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);

export const isWithin = (ms: number, { from, until }: Range): boolean => from <= ms && ms < until;

export const later = (ms: number, count: number, unit: Window['unit'] | 'year', timezone: string): number =>
  clockAt(ms, timezone).add({ [`${unit}s`]: count }).epochMilliseconds;

export function startOf(ms: number, interval: Interval, timezone: string, week: WeekStart = 'sunday'): number {
  const clock = clockAt(ms, timezone);
  if (interval === 'hour') return startOfHour(ms, timezone);
  if (interval === 'month') return clock.with({ day: 1 }).startOfDay().epochMilliseconds;
  const weekday = week === 'sunday' ? clock.dayOfWeek % 7 : clock.dayOfWeek - 1;
  return clock.subtract({ days: interval === 'week' ? weekday : 0 }).startOfDay().epochMilliseconds;
}

/** Back to where the clock showed a full hour, or to where it was set to a later time of this hour. */
function startOfHour(ms: number, timezone: string): number {
  const { hour } = clockAt(ms, timezone);
  for (let at = ms; ; ) {
    const { minute, second, millisecond } = clockAt(at, timezone);
    const past = minute * MINUTE + second * 1000 + millisecond;
    if (past === 0) return at;
    const before = clockAt(at - past, timezone);
    if (before.hour !== hour) return before.getTimeZoneTransition('next')?.epochMilliseconds ?? at;
    at -= past;
  }
}

/** Where the next interval begins. */
export function nextStart(start: number, interval: Interval, timezone: string, week: WeekStart = 'sunday'): number {
  if (interval !== 'hour') return startOf(later(start, 1, interval, timezone), interval, timezone, week);
  let at = start;
  while (startOf(at, 'hour', timezone) <= start) at += 30 * MINUTE;
  return startOf(at, 'hour', timezone);
}

/** The last slots found: the same ones are needed for every actor, and looking up a time zone is slow. */
let last: { key: string; slots: Slot[] } = { key: '', slots: [] };

/** Every interval that the range touches. */
export function slotsOf(range: Range, interval: Interval, timezone: string, week: WeekStart = 'sunday'): Slot[] {
  const key = [range.from, range.until, interval, timezone, week].join(' ');
  if (last.key !== key) last = { key, slots: findSlots(range, interval, timezone, week) };
  return [...last.slots];
}

function findSlots(range: Range, interval: Interval, timezone: string, week: WeekStart): Slot[] {
  const slots: Slot[] = [];
  if (range.from >= range.until) return slots;
  for (let start = startOf(range.from, interval, timezone, week); start < range.until; ) {
    const end = nextStart(start, interval, timezone, week);
    slots.push({ start, end });
    start = end;
  }
  return slots;
}

export const slotAt = (slots: readonly Slot[], ms: number): number =>
  slots.findIndex(({ start, end }) => start <= ms && ms < end);

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (number: number): string => String(number).padStart(2, '0');

/** `2020-01-31` and `31-Jan-2020`; of an hour with its time. */
export function nameOfSlot(start: number, interval: Interval, timezone: string): { day: string; label: string } {
  const { year, month, day, hour, minute } = clockAt(start, timezone);
  const date = `${year}-${two(month)}-${two(day)}`;
  const label = `${day}-${MONTHS[month - 1]}-${year}`;
  if (interval !== 'hour') return { day: date, label };
  return { day: `${date} ${two(hour)}:${two(minute)}:00`, label: `${label} ${two(hour)}:${two(minute)}` };
}
