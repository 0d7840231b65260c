/** The only place that formats dates, times and durations. Times are in the project's time zone, not the browser's. */
import { LOCALE } from './locale.ts';

export type Moment = string | number | Date;
type Options = Intl.DateTimeFormatOptions;

const MISSING = '–';
const toMs = (at: Moment): number => (at instanceof Date ? at.getTime() : typeof at === 'number' ? at : Date.parse(at));

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached: creating a format is far slower than using it. */
function formatIn(zone: string, options: Options, locale: string): Intl.DateTimeFormat {
  const key = locale + zone + JSON.stringify(options);
  const cached = formats.get(key);
  if (cached) return cached;
  const created = new Intl.DateTimeFormat(locale, { timeZone: knownZone(zone), ...options });
  formats.set(key, created);
  return created;
}

/** UTC for a time zone that this browser does not know. */
export function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

function format(at: Moment, zone: string, options: Options, locale: string): string {
  const ms = toMs(at);
  return Number.isNaN(ms) ? MISSING : formatIn(zone, options, locale).format(ms);
}

const DAY: Options = { day: 'numeric', month: 'short' };

/** Jan 15, 2026 */
export const formatDate = (at: Moment, zone: string, locale = LOCALE): string =>
  format(at, zone, { dateStyle: 'medium' }, locale);

/** Thursday, Jan 15, 2026 */
export const formatDay = (at: Moment, zone: string, locale = LOCALE): string =>
  format(at, zone, { weekday: 'long', day: 'numeric', month: 'short', year: 'numeric' }, locale);

/** 1:04:59 PM */
export const formatTime = (at: Moment, zone: string, locale = LOCALE): string =>
  format(at, zone, { timeStyle: 'medium' }, locale);

/** Jan 15, 2026, 1:04:59 PM */
export const formatDateTime = (at: Moment, zone: string, locale = LOCALE): string =>
  format(at, zone, { dateStyle: 'medium', timeStyle: 'medium' }, locale);

/** The time of today; with the date for any other day, and with the year for any other year. */
export function formatRecent(at: Moment, zone: string, now: number, locale = LOCALE): string {
  if (formatDate(at, zone, locale) === formatDate(now, zone, locale)) return formatTime(at, zone, locale);
  const yearOf = (moment: Moment): string => format(moment, zone, { year: 'numeric' }, locale);
  if (yearOf(at) !== yearOf(now)) return formatDateTime(at, zone, locale);
  return `${format(at, zone, DAY, locale)}, ${formatTime(at, zone, locale)}`;
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

/** 3 minutes ago, in 2 days, now */
export function formatRelative(at: Moment, now: number): string {
  const difference = toMs(at) - now;
  if (Number.isNaN(difference)) return MISSING;
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(difference) >= size) ?? ['second', 1000];
  return relative.format(Math.trunc(difference / ms), unit);
}

type Interval = 'hour' | 'day' | 'week' | 'month';

const DATE_TEXT = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?/;

/** A tick of a chart. The API sends `2026-01-31 05:00:00`, already in the project's time zone; others stay as they are. */
export function formatTick(tick: string | number, interval: Interval, locale = LOCALE): string {
  const [, date, time = '00:00'] = DATE_TEXT.exec(String(tick)) ?? [];
  if (date === undefined) return String(tick);
  const write = (options: Options): string => format(`${date}T${time}Z`, 'UTC', options, locale);
  if (interval === 'month') return write({ month: 'short', year: 'numeric' });
  return interval === 'hour' ? `${write(DAY)}, ${write({ timeStyle: 'short' })}` : write(DAY);
}

/** The whole date of a tick, with its weekday: Mon, Nov 16, 2026. */
export function formatTickTitle(tick: string | number, interval: Interval, locale = LOCALE): string {
  const [, date, time = '00:00'] = DATE_TEXT.exec(String(tick)) ?? [];
  if (date === undefined) return String(tick);
  const write = (options: Options): string => format(`${date}T${time}Z`, 'UTC', options, locale);
  if (interval === 'month') return write({ month: 'long', year: 'numeric' });
  const day = write({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  if (interval === 'hour') return `${day}, ${write({ timeStyle: 'short' })}`;
  return interval === 'week' ? `Week of ${day}` : day;
}

const DURATION_UNITS: readonly [unit: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const inUnit = (value: number, unit: string): string =>
  new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'narrow' }).format(value);

/** 850ms, 12s, 3m 5s, 2h 10m, 4d 3h: the two largest units */
export function formatDuration(ms: number): string {
  if (ms < 1000) return ms === 0 ? inUnit(0, 'second') : inUnit(Math.round(ms), 'millisecond');
  const first = DURATION_UNITS.findIndex(([, size]) => ms >= size);
  let rest = ms;
  const parts = DURATION_UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return [count, unit] as const;
  });
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => inUnit(count, unit))
    .join(' ');
}
