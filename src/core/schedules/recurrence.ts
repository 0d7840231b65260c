/**
 * When something is due that repeats: by the calendar and the clock of a time zone, so that eight in the morning stays
 * eight in the morning. The first date fixes the time of day, and the weeks, months or years that count.
 */
import type { Temporal } from 'temporal-polyfill';
import { zoned } from '../time/zoned.ts';

export const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const;
type Frequency = (typeof FREQUENCIES)[number];

/** From Monday, as Temporal counts them. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface Recurrence {
  frequency: Frequency;
  /** Every so many days, weeks, months or years. */
  interval: number;
  /** Empty: the day of the start. */
  weekdays: readonly Weekday[];
  /** Which of the weekdays in a period counts, from 1; -1 is the last. Null: all of them. */
  position: number | null;
  /** How many times in all. Null: without end. */
  count: number | null;
  /** ms UTC. The first time, if its day fits. */
  start: number;
  /** ms UTC. Not after this time. */
  until: number | null;
}

/** In this many periods a day that fits comes, if it ever does: seven, and those before the start. */
const MAX_EMPTY_PERIODS = 10;

/** The first time after `after`; null where none comes any more. */
export function nextOccurrence(rule: Recurrence, after: number, timezone: string): number | null {
  if (rule.count !== null) return nextOfCounted(rule, rule.count, after, timezone);
  for (const at of occurrencesFrom(rule, after, timezone)) if (at > after) return at;
  return null;
}

/** The last time up to `until` that is after `after`; null where there is none. */
export function lastOccurrence(rule: Recurrence, after: number, until: number, timezone: string): number | null {
  let last: number | null = null;
  let at = nextOccurrence(rule, Math.max(after, earlier(rule, until, timezone)), timezone);
  while (at !== null && at <= until) {
    last = at;
    at = nextOccurrence(rule, at, timezone);
  }
  return last;
}

/** A time two periods and more before, so that few are looked at after a long standstill. */
const earlier = ({ frequency, interval, count }: Recurrence, at: number, timezone: string): number =>
  count === null
    ? zoned(at, timezone).subtract({ [UNITS[frequency]]: MAX_EMPTY_PERIODS * interval }).epochMilliseconds
    : Number.NEGATIVE_INFINITY;

function nextOfCounted(rule: Recurrence, count: number, after: number, timezone: string): number | null {
  let seen = 0;
  for (const at of occurrencesFrom(rule, rule.start - 1, timezone)) {
    if (++seen > count) return null;
    if (at > after) return at;
  }
  return null;
}

const UNITS = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;

/** In order, beginning at or before the first one after `after`; ends where no other comes. */
function* occurrencesFrom(rule: Recurrence, after: number, timezone: string): Generator<number> {
  const start = zoned(rule.start, timezone);
  const first = periodStart(rule.frequency, start.toPlainDate());
  let index = firstIndex(rule, first, zoned(Math.max(after, rule.start), timezone).toPlainDate());
  let last = Number.NEGATIVE_INFINITY;
  for (let empty = 0; empty < MAX_EMPTY_PERIODS; index++) {
    const period = first.add({ [UNITS[rule.frequency]]: index * rule.interval });
    empty++;
    for (const date of datesIn(rule, period, start.toPlainDate())) {
      const at = date.toZonedDateTime({ timeZone: timezone, plainTime: start.toPlainTime() }).epochMilliseconds;
      if (rule.until !== null && at > rule.until) return;
      // Where a zone skips a day, that day and the next are the same time.
      if (at < rule.start || at <= last) continue;
      last = at;
      empty = 0;
      yield at;
    }
  }
}

/** The number of the last period that begins at or before this date, counted in intervals, less one. */
function firstIndex({ frequency, interval }: Recurrence, first: Temporal.PlainDate, date: Temporal.PlainDate): number {
  const unit = UNITS[frequency];
  const passed = first.until(date, { largestUnit: unit })[unit];
  return Math.max(0, Math.floor(passed / interval) - 1);
}

function periodStart(frequency: Frequency, date: Temporal.PlainDate): Temporal.PlainDate {
  switch (frequency) {
    case 'daily':
      return date;
    case 'weekly':
      return date.subtract({ days: date.dayOfWeek - 1 });
    case 'monthly':
      return date.with({ day: 1 });
    case 'yearly':
      return date.with({ month: 1, day: 1 });
  }
}

function datesIn(rule: Recurrence, period: Temporal.PlainDate, start: Temporal.PlainDate): Temporal.PlainDate[] {
  if (rule.weekdays.length === 0) return [sameDay(rule.frequency, period, start)];
  const fits = daysOf(rule.frequency, period).filter((date) => isOneOf(rule.weekdays, date));
  if (rule.position === null) return fits;
  const chosen = rule.position > 0 ? fits[rule.position - 1] : fits.at(rule.position);
  return chosen === undefined ? [] : [chosen];
}

const isOneOf = (weekdays: readonly Weekday[], { dayOfWeek }: Temporal.PlainDate): boolean =>
  weekdays.some((name) => name === WEEKDAYS[dayOfWeek - 1]);

/** The 31st is the last day of shorter months, and the 29th of February the 28th of most years. */
function sameDay(frequency: Frequency, period: Temporal.PlainDate, start: Temporal.PlainDate): Temporal.PlainDate {
  switch (frequency) {
    case 'daily':
      return period;
    case 'weekly':
      return period.add({ days: start.dayOfWeek - 1 });
    case 'monthly':
      return period.with({ day: start.day }, { overflow: 'constrain' });
    case 'yearly':
      return period.with({ month: start.month, day: start.day }, { overflow: 'constrain' });
  }
}

const LENGTHS: Record<Frequency, (period: Temporal.PlainDate) => number> = {
  daily: () => 1,
  weekly: () => 7,
  monthly: ({ daysInMonth }) => daysInMonth,
  yearly: ({ daysInYear }) => daysInYear,
};

const daysOf = (frequency: Frequency, period: Temporal.PlainDate): Temporal.PlainDate[] =>
  Array.from({ length: LENGTHS[frequency](period) }, (_, days) => period.add({ days }));
