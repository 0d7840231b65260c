import { Temporal } from 'temporal-polyfill';
import { MAX_TIME_MS, MIN_TIME_MS, zoned } from './zoned.ts';

/**
 * A date in a question: `2020-01-31` (zeros may be missing), an ISO time (in the project's time zone unless it names
 * another), or relative to now: `-7d`, `-24h`, `-1mStart`, `-1mEnd`, `dStart`, `yStart`. Undefined where it is neither.
 */
export function parseDate(text: string, now: number, timezone: string): number | undefined {
  const at = parseAbsolute(text, timezone) ?? parseRelative(text, now, timezone);
  return at === undefined || at < MIN_TIME_MS || at >= MAX_TIME_MS ? undefined : at;
}

const DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s?(Z|[+-]?\d{2}:?\d{2})?$/i;

function parseAbsolute(text: string, timezone: string): number | undefined {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year !== undefined) return attempt(() => startOfDate(Number(year), Number(month), Number(day), timezone));
  const [, date, time = '', zone = ''] = TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (zone === '') return attempt(() => Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone));
  // A plus sign that was put into an address without escaping arrives as a space.
  const offset = /^\d/.test(zone) ? `+${zone}` : zone;
  return attempt(() => Temporal.Instant.from(`${date}T${time}${offset}`));
}

const startOfDate = (year: number, month: number, day: number, timezone: string) =>
  Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' }).toZonedDateTime({ timeZone: timezone });

/** The calendar decides what exists: the thirtieth of February does not. */
function attempt(make: () => { epochMilliseconds: number }): number | undefined {
  try {
    return make().epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const RELATIVE = /^-?(\d{1,5})?([hdwmqy])(Start|End)?$/;
const UNITS = { h: 'hours', d: 'days', w: 'weeks', m: 'months', q: 'weeks', y: 'years' } as const;
const WEEKS_IN_QUARTER = 13;

function parseRelative(text: string, now: number, timezone: string): number | undefined {
  const [, count = '0', letter, position] = RELATIVE.exec(text) ?? [];
  if (letter === undefined) return undefined;
  const unit = letter as keyof typeof UNITS;
  const number = Number(count) * (unit === 'q' ? WEEKS_IN_QUARTER : 1);
  return attempt(() => moved(zoned(now, timezone).subtract({ [UNITS[unit]]: number }), unit, position));
}

/** `Start` and `End` name a day (of a month, of a year) or a time of day; the time is otherwise that of now. */
function moved(time: Temporal.ZonedDateTime, unit: keyof typeof UNITS, position: string | undefined) {
  if (position === undefined) return time;
  const isStart = position === 'Start';
  switch (unit) {
    case 'h':
      return isStart ? time.with({ minute: 0, second: 0, millisecond: 0 }) : time.with(LAST_MINUTE);
    case 'd':
      return isStart ? time.startOfDay() : time.with({ hour: 23, ...LAST_MINUTE });
    case 'w':
    case 'q':
      return time;
    case 'm':
      return time.with({ day: isStart ? 1 : 31 });
    case 'y':
      return time.with(isStart ? { month: 1, day: 1 } : { month: 12, day: 31 });
  }
}

const LAST_MINUTE = { minute: 59, second: 59, millisecond: 999 };
