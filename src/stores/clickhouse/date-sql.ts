/**
 * Parses dates by the rules of `core/filters/filter-dates.ts`. ClickHouse's own functions only support years from 1900
 * and accept 30 February, so the calendar is computed here.
 */
import { DATE_PATTERNS, DATE_PREFIX_LENGTH } from '../../core/filters/filter-dates.ts';
import type { BucketInterval } from '../events/dialect.ts';

/** `text` as ms UTC, to the second, else null. `bind` binds a value. */
export function dateSql(text: string, bind: (value: string) => string): string {
  const whole = wholeDate(bind);
  // A one-element array gives the value a name.
  const read = `arrayMap(t -> ${whole}, [${text}, left(${text}, ${DATE_PREFIX_LENGTH})])`;
  return `coalesce(arrayElement(${read}, 1), arrayElement(${read}, 2))`;
}

function wholeDate(bind: (value: string) => string): string {
  const fits = (pattern: string): string => `match(t, ${bind(`^(?:${pattern})$`)})`;
  const { iso, european, seconds } = DATE_PATTERNS;
  return `multiIf(
    ${fits(iso)}, ${dayMs(part(1, 4), part(6, 2), part(9, 2))} + ${TIME_OF_DAY},
    ${fits(european)}, ${dayMs(part(7, 4), part(4, 2), part(1, 2))},
    ${fits(seconds)}, toInt64OrNull(t) * 1000,
    null)`;
}

/** Digits of the text as a number, or 0. */
const part = (from: number, length: number): string => `toInt64OrZero(substring(t, ${from}, ${length}))`;

const ZONE = `extract(substring(t, 17), '([+-]\\\\d{2}:?\\\\d{2})$')`;

const TIME_OF_DAY = `((${part(12, 2)} * 60 + ${part(15, 2)}) * 60 + if(substring(t, 17, 1) = ':', ${part(18, 2)}, 0)
  - if(${ZONE} = '', 0, if(left(${ZONE}, 1) = '-', -1, 1)
    * (toInt64OrZero(substring(${ZONE}, 2, 2)) * 60 + toInt64OrZero(right(${ZONE}, 2))) * 60)) * 1000`;

/** The start of a day; null if there is no such day. Years start in March, so that leap days come last. */
function dayMs(year: string, month: string, day: string): string {
  const [y, m, d] = [`c.1`, `c.2`, `c.3`];
  const years = `(${y} - (${m} <= 2))`;
  const ofYear = `(intDiv(153 * (${m} + if(${m} > 2, -3, 9)) + 2, 5) + ${d} - 1)`;
  const days = `(${years} * 365 + intDiv(${years}, 4) - intDiv(${years}, 100) + intDiv(${years}, 400) + ${ofYear} - 719468)`;
  const isLeap = `(${y} % 4 = 0 and (${y} % 100 != 0 or ${y} % 400 = 0))`;
  const length = `if(${m} = 2, 28 + ${isLeap}, 30 + (${m} + intDiv(${m}, 8)) % 2)`;
  const isDay = `${m} between 1 and 12 and ${d} between 1 and ${length}`;
  return `arrayElement(arrayMap(c -> if(${isDay}, toNullable(toInt64(${days}) * 86400000), null),
    [tuple(${year}, ${month}, ${day})]), 1)`;
}

const WIDTHS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
/** The first Monday of 1970. */
const MONDAY = 4 * WIDTHS.day;

/** The start of the bucket that contains a time. `zone` is the placeholder of the bound name; null: UTC. */
export function bucketSql(time: string, interval: BucketInterval, zone: string | null): string {
  const local = `fromUnixTimestamp64Milli(${time}, ${zone ?? `'UTC'`})`;
  if (interval === 'minute' || interval === 'hour') {
    // Subtracted from the instant: when clocks go back, two hours have the same local time.
    const shown = zone === null ? time : `(${time} + toInt64(timeZoneOffset(toDateTime(${local}))) * 1000)`;
    return `(${time} - positiveModulo(${shown}, ${WIDTHS[interval]}))`;
  }
  if (zone === null && interval !== 'month') {
    return `(${time} - positiveModulo(${time} - ${interval === 'week' ? MONDAY : 0}, ${WIDTHS[interval]}))`;
  }
  return `(toInt64(toUnixTimestamp(${startOf(interval, local, zone ?? `'UTC'`)})) * 1000)`;
}

function startOf(interval: BucketInterval, local: string, zone: string): string {
  if (interval === 'day') return `toStartOfDay(toDateTime(${local}))`;
  const day = interval === 'week' ? `toMonday(${local})` : `toStartOfMonth(${local})`;
  return `toDateTime(${day}, ${zone})`;
}
