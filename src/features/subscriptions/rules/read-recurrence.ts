/** The schedule of a digest, read from a request. Errors name the field as the API does. */
import { invalid } from '../../../core/errors.ts';
import {
  FREQUENCIES,
  nextOccurrence,
  type Recurrence,
  WEEKDAYS,
  type Weekday,
} from '../../../core/schedules/recurrence.ts';

/** The fields of a request, times in ms UTC. */
interface SentRecurrence {
  frequency: string;
  interval: number;
  byweekday: readonly string[] | null;
  bysetpos: number | null;
  count: number | null;
  start: number;
  until: number | null;
}

const MAX_INTERVAL = 100;
const MAX_COUNT = 1000;
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

export function readRecurrence(sent: SentRecurrence): Recurrence {
  const { interval, count, start, until } = sent;
  const frequency = FREQUENCIES.find((one) => one === sent.frequency);
  if (frequency === undefined) throw invalid('frequency', `frequency is one of ${FREQUENCIES.join(', ')}.`);
  if (!isWithin(interval, 1, MAX_INTERVAL))
    throw invalid('interval', `interval is a number from 1 to ${MAX_INTERVAL}.`);
  if (count !== null && !isWithin(count, 1, MAX_COUNT))
    throw invalid('count', `count is a number from 1 to ${MAX_COUNT}.`);
  if (!isWithin(start, EARLIEST, LATEST)) throw invalid('start_date', 'start_date is a time from 2000 to 2100.');
  if (until !== null && until < start) throw invalid('until_date', 'until_date is not before start_date.');
  const weekdays = readWeekdays(sent.byweekday ?? []);
  return { frequency, interval, weekdays, position: readPosition(sent.bysetpos, weekdays), count, start, until };
}

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;

function readWeekdays(given: readonly string[]): readonly Weekday[] {
  const wrong = given.find((name) => !WEEKDAYS.some((day) => day === name));
  if (wrong !== undefined)
    throw invalid('byweekday', `byweekday is a list of days such as monday; ${JSON.stringify(wrong)} is none.`);
  return WEEKDAYS.filter((day) => given.includes(day));
}

function readPosition(given: number | null, weekdays: readonly Weekday[]): number | null {
  if (given === null) return null;
  if (given !== -1 && !isWithin(given, 1, 4)) throw invalid('bysetpos', 'bysetpos is 1, 2, 3, 4 or -1, the last.');
  if (weekdays.length === 0) throw invalid('bysetpos', 'bysetpos says which of the days in byweekday: it needs some.');
  return given;
}

/** The next time; fails where none comes any more. */
export function firstSlot(rule: Recurrence, now: number, timezone: string): number {
  const next = nextOccurrence(rule, now, timezone);
  if (next !== null) return next;
  const endless = { ...rule, count: null, until: null };
  if (nextOccurrence(endless, now, timezone) === null)
    throw invalid('byweekday', 'With this frequency and interval none of these days ever comes.');
  throw invalid(rule.until === null ? 'count' : 'until_date', 'All times of this schedule are in the past.');
}
