import { Temporal } from 'temporal-polyfill';
import { nextIntervalStart, startOfInterval } from './interval.ts';
import { parseTimestamp } from './parse-timestamp.ts';
import { MAX_TIME_MS, MIN_TIME_MS, type Zoned, zoned } from './zoned.ts';

/**
 * A date in a question: `2020-01-31` (zeros may be missing), an ISO time (in the project's time zone unless it names
 * another), or relative to now: `-7d`, `-24h`, `-1wStart`, `-1mEnd`, `dStart`, `yStart`. Undefined where it is neither.
 */
export function parseDate(text: string, now: number, timezone: string): number | undefined {
  const at = parseAbsolute(text, timezone) ?? parseRelative(text, now, timezone);
  return at === undefined || at < MIN_TIME_MS || at >= MAX_TIME_MS ? undefined : at;
}

/**
 * A moment that needs no time zone: any timestamp that events may have (UTC unless it names a zone), or how long ago
 * (`5d`, `-2h`). Undefined where it is neither.
 */
export function parseMoment(text: string, now: number): number | undefined {
  if (/^-?\d{1,6}[hdwmqy]$/.test(text)) return parseDate(text, now, 'UTC');
  return parseTimestamp(text.replace(BARE_PLUS, '$1+$2'));
}

/** `+00:00` in a URL without escaping arrives as ` 00:00`. */
const BARE_PLUS = /^(\d+-\d\d-\d\dT\S*) (\d\d:?\d\d)$/;

const DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s?(Z|[+-]?\d{2}:?\d{2})?$/i;

function parseAbsolute(text: string, timezone: string): number | undefined {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year !== undefined) return ifExists(() => startOfDate(Number(year), Number(month), Number(day), timezone));
  const [, date, time = '', zone = ''] = TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (zone === '') return ifExists(() => Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone));
  const offset = /^\d/.test(zone) ? `+${zone}` : zone;
  return ifExists(() => Temporal.Instant.from(`${date}T${time}${offset}`));
}

const startOfDate = (year: number, month: number, day: number, timezone: string): Zoned =>
  Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' }).toZonedDateTime({ timeZone: timezone });

/** Temporal throws for dates that do not exist, such as 30 February. */
function ifExists(make: () => { epochMilliseconds: number }): number | undefined {
  try {
    return make().epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const RELATIVE = /^-?(\d{1,6})?([hdwmqy])(Start|End)?$/;
const UNITS = { h: 'hours', d: 'days', w: 'weeks', m: 'months', q: 'weeks', y: 'years' } as const;
type UnitLetter = keyof typeof UNITS;
const WEEKS_IN_QUARTER = 13;

function parseRelative(text: string, now: number, timezone: string): number | undefined {
  const [, count = '0', letter, position] = RELATIVE.exec(text) ?? [];
  if (letter === undefined) return undefined;
  const unit = letter as UnitLetter;
  const number = Number(count) * (unit === 'q' ? WEEKS_IN_QUARTER : 1);
  return ifExists(() => atPosition(zoned(now, timezone).subtract({ [UNITS[unit]]: number }), unit, position));
}

/**
 * The start and end of an hour, a day or a week (which begins on Sunday) are moments. Those of a month or a year are its
 * first and last day, at the time of day of now; quarters have none.
 */
function atPosition(time: Zoned, unit: UnitLetter, position: string | undefined): Zoned {
  const isStart = position === 'Start';
  if (position === undefined || unit === 'q') return time;
  if (unit === 'm') return time.with({ day: isStart ? 1 : 31 });
  if (unit === 'y') return time.with(isStart ? { month: 1, day: 1 } : { month: 12, day: 31 });
  const interval = ({ h: 'hour', d: 'day', w: 'week' } as const)[unit];
  const { timeZoneId, epochMilliseconds } = time;
  const start = startOfInterval(epochMilliseconds, interval, timeZoneId);
  // Counted back from the next one: where clocks go back at midnight, 23:59 comes twice.
  return zoned(isStart ? start : nextIntervalStart(start, interval, timeZoneId) - 1, timeZoneId);
}
