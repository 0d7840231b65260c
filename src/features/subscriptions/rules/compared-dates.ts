/** The dates that a digest is about, and those before it, up to the same time of day. */
import type { JsonObject } from '../../../core/json/json.ts';
import { addUnits } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import { readDateRange } from '../../../core/time/read-date-range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { zoned } from '../../../core/time/zoned.ts';
import { rangeFields, readDates } from '../../insights/rules/read-dates.ts';

interface ComparedDates {
  range: Range;
  /** Fields of a question. */
  current: JsonObject;
  /** Null: there is nothing before it. */
  previous: JsonObject | null;
}

/**
 * Today is not over: of the days before, the one that is compared with it counts up to the same time too. So many whole
 * days lie between both as the range has, so that seven days are compared with the same days of the week.
 */
export function comparedDates(
  filters: JsonObject,
  context: { now: number; timezone: string; earliest: number | null },
): ComparedDates {
  const { now, timezone } = context;
  const given = readDateRange(readDates(filters), context);
  const range = { from: given.from, until: Math.max(given.from + 1, Math.min(given.until, now)) };
  const days = Math.max(1, Math.round((range.until - range.from) / DAY_MS));
  const earlier = {
    from: addUnits(range.from, -days, 'day', timezone),
    until: addUnits(range.until, -days, 'day', timezone),
  };
  return {
    range,
    current: rangeFields(range),
    previous: filters['date_from'] === 'all' ? null : rangeFields(earlier),
  };
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `9 Nov to 16 Nov 2026` */
export function periodText({ from, until }: Range, timezone: string): string {
  const [first, last] = [zoned(from, timezone), zoned(until - 1, timezone)];
  const day = (time: typeof first): string => `${time.day} ${MONTHS[time.month - 1]}`;
  if (first.toPlainDate().equals(last.toPlainDate())) return `${day(first)} ${first.year}`;
  const year = first.year === last.year ? '' : ` ${first.year}`;
  return `${day(first)}${year} to ${day(last)} ${last.year}`;
}
