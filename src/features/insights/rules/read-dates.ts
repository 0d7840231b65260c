import { invalid } from '../../../core/errors.ts';
import { INTERVALS, type Interval } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import {
  checkTickCount,
  type DateContext,
  type DateFields,
  readDateRange,
} from '../../../core/time/read-date-range.ts';
import { requireTimeZone } from '../../../core/time/zoned.ts';
import { type QuestionFields, quote, readBooleanField, readTextField } from './fields.ts';
import type { QuestionContext } from './question.ts';

export const DATE_FIELDS = ['date_from', 'date_to', 'explicit_date', 'interval'] as const;

export function readInterval(fields: QuestionFields): Interval {
  const given = readTextField(fields, 'interval') ?? 'day';
  const interval = given === 'minute' ? 'hour' : INTERVALS.find((one) => one === given);
  if (interval !== undefined) return interval;
  throw invalid('interval', `interval cannot be ${quote(given)}: choose one of ${INTERVALS.join(', ')}.`);
}

export const readDates = (fields: QuestionFields): DateFields => ({
  dateFrom: readTextField(fields, 'date_from'),
  dateTo: readTextField(fields, 'date_to'),
  explicit: readBooleanField(fields, 'explicit_date'),
  interval: readInterval(fields),
});

export const dateContext = ({ now, timezone, earliest }: QuestionContext): DateContext => ({
  now,
  timezone: requireTimeZone(timezone),
  earliest,
});

export const readRange = (fields: QuestionFields, context: QuestionContext): Range =>
  readDateRange(readDates(fields), dateContext(context));

/** Fails where the range has too many intervals. */
export function readTickedRange(fields: QuestionFields, context: QuestionContext): Range {
  const range = readRange(fields, context);
  checkTickCount(range, readInterval(fields));
  return range;
}

/** The range as absolute dates, so that a link keeps its meaning. */
export const rangeFields = ({ from, until }: Range) => ({
  date_from: new Date(from).toISOString(),
  date_to: new Date(until - 1).toISOString(),
  explicit_date: true,
});
