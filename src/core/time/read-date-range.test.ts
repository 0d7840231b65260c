import { describe, expect, it } from 'vitest';
import type { Interval } from './interval.ts';
import { parseDate } from './parse-date.ts';
import { earlierRange, previousRange } from './previous-range.ts';
import { type DateFields, readDateRange, roundToInterval } from './read-date-range.ts';
import { ticksOf } from './ticks.ts';
import { isTimeZone } from './zoned.ts';

const NOW = Date.parse('2024-03-31T13:45:30Z');
const iso = (at: number | undefined): string => (at === undefined ? 'no date' : new Date(at).toISOString());

describe('a date in a question', () => {
  it.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-2-9', '2024-02-09T00:00:00.000Z'],
    ['2024-01-31T10:20', '2024-01-31T10:20:00.000Z'],
    ['2024-01-31 10:20:30.5', '2024-01-31T10:20:30.500Z'],
    ['2024-01-31T10:20:30Z', '2024-01-31T10:20:30.000Z'],
    ['2024-01-31T10:20:30+02:00', '2024-01-31T08:20:30.000Z'],
    ['2024-01-31T10:20:30 02:00', '2024-01-31T08:20:30.000Z'],
    ['-7d', '2024-03-24T13:45:30.000Z'],
    ['7d', '2024-03-24T13:45:30.000Z'],
    ['-24h', '2024-03-30T13:45:30.000Z'],
    ['-2w', '2024-03-17T13:45:30.000Z'],
    ['-1m', '2024-02-29T13:45:30.000Z'],
    ['-1q', '2023-12-31T13:45:30.000Z'],
    ['-1y', '2023-03-31T13:45:30.000Z'],
    ['dStart', '2024-03-31T00:00:00.000Z'],
    ['-1dStart', '2024-03-30T00:00:00.000Z'],
    ['dEnd', '2024-03-31T23:59:59.999Z'],
    ['hStart', '2024-03-31T13:00:00.000Z'],
    ['mStart', '2024-03-01T13:45:30.000Z'],
    ['-1mStart', '2024-02-01T13:45:30.000Z'],
    ['-1mEnd', '2024-02-29T13:45:30.000Z'],
    ['yStart', '2024-01-01T13:45:30.000Z'],
    ['-1yEnd', '2023-12-31T13:45:30.000Z'],
    ['2024-02-30', 'no date'],
    ['2024-13-01', 'no date'],
    ['2024-01-31T25:00', 'no date'],
    ['yesterday', 'no date'],
    ['-7x', 'no date'],
    ['-99999y', 'no date'],
    ['9999-12-31', 'no date'],
    ['0001-01-01', 'no date'],
    ['', 'no date'],
  ])('%s is %s', (text, wanted) => {
    expect(iso(parseDate(text, NOW, 'UTC'))).toBe(wanted);
  });

  it('is in the time zone of the project unless it names another', () => {
    expect(iso(parseDate('2024-02-29', NOW, 'US/Pacific'))).toBe('2024-02-29T08:00:00.000Z');
    expect(iso(parseDate('2024-07-01 12:00', NOW, 'US/Pacific'))).toBe('2024-07-01T19:00:00.000Z');
    expect(iso(parseDate('2024-07-01T12:00Z', NOW, 'US/Pacific'))).toBe('2024-07-01T12:00:00.000Z');
  });

  it('keeps the time of day over a change of the clocks', () => {
    expect(iso(parseDate('-1d', NOW, 'Europe/Berlin'))).toBe('2024-03-30T14:45:30.000Z');
    expect(iso(parseDate('-24h', NOW, 'Europe/Berlin'))).toBe('2024-03-30T13:45:30.000Z');
  });
});

describe('a range of dates', () => {
  const range = (fields: Partial<DateFields>, earliest?: number | null) => {
    const whole = { dateFrom: undefined, dateTo: undefined, explicit: false, interval: 'day' as Interval, ...fields };
    const { from, until } = readDateRange(whole, { now: NOW, timezone: 'UTC', earliest });
    return [iso(from), iso(until)];
  };

  it.each<[string, Partial<DateFields>, string, string]>([
    ['the last week and today', {}, '2024-03-24T00:00:00.000Z', '2024-04-01T00:00:00.000Z'],
    [
      'whole days whatever the time',
      { dateFrom: '2024-03-01T15:00' },
      '2024-03-01T00:00:00.000Z',
      '2024-04-01T00:00:00.000Z',
    ],
    [
      'days to their end',
      { dateFrom: '2024-03-01', dateTo: '2024-03-02T01:00Z' },
      '2024-03-01T00:00:00.000Z',
      '2024-03-03T00:00:00.000Z',
    ],
    ['hours from now', { dateFrom: '-24h' }, '2024-03-30T13:45:30.000Z', '2024-04-01T00:00:00.000Z'],
    ['a minute more than now in hours', { interval: 'hour' }, '2024-03-24T00:00:00.000Z', '2024-03-31T13:46:30.000Z'],
    [
      'times as given where explicit',
      { dateFrom: '2024-03-01T15:00', dateTo: '2024-03-02T01:00', explicit: true },
      '2024-03-01T15:00:00.000Z',
      '2024-03-02T01:00:00.001Z',
    ],
    ['a week', { dateFrom: '-1wStart', dateTo: '-1wEnd' }, '2024-03-24T00:00:00.000Z', '2024-03-31T00:00:00.000Z'],
    ['a month', { dateFrom: '-1mStart', dateTo: '-1mEnd' }, '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
  ])('means %s', (_name, fields, from, until) => {
    expect(range(fields)).toEqual([from, until]);
  });

  it('of all begins with the first event, or a week ago where there is none', () => {
    expect(range({ dateFrom: 'all' }, Date.parse('2020-05-05T05:05Z'))[0]).toBe('2020-05-05T00:00:00.000Z');
    expect(range({ dateFrom: 'all' }, null)[0]).toBe('2024-03-24T00:00:00.000Z');
  });

  it.each<[Partial<DateFields>, RegExp]>([
    [{ dateFrom: '2024-03-01', dateTo: '2024-02-01' }, /empty/],
    [{ dateFrom: 'soon' }, /"soon" is not a date/],
    [{ dateTo: '2024-02-30' }, /"2024-02-30" is not a date/],
  ])('is rejected if it is invalid: %j', (fields, sentence) => {
    expect(() => range(fields)).toThrow(sentence);
  });

  it.each([{ dateFrom: '2024-05-01' }, { dateFrom: '2024-05-01', dateTo: '2024-02-01' }])(
    'is empty where it begins in the future: %j',
    (fields) => {
      expect(range(fields)).toEqual(['2024-05-01T00:00:00.000Z', '2024-05-01T00:00:00.000Z']);
      const at = Date.parse('2024-05-01T00:00:00Z');
      expect(ticksOf({ from: at, until: at }, 'week', 'UTC')).toEqual([]);
      expect(roundToInterval({ from: at, until: at }, 'week', 'UTC')).toEqual({ from: at, until: at });
    },
  );

  it('is rounded to whole weeks and months always, to hours and days where it has two of them', () => {
    const rounded = (from: string, until: string, interval: Interval) =>
      iso(roundToInterval({ from: Date.parse(from), until: Date.parse(until) }, interval, 'UTC').from);
    expect(rounded('2024-05-15T00:00Z', '2024-05-16T00:00Z', 'week')).toBe('2024-05-12T00:00:00.000Z');
    expect(rounded('2024-05-15T00:00Z', '2024-05-16T00:00Z', 'month')).toBe('2024-05-01T00:00:00.000Z');
    expect(rounded('2024-05-15T10:30Z', '2024-05-15T12:00Z', 'hour')).toBe('2024-05-15T10:30:00.000Z');
    expect(rounded('2024-05-15T10:30Z', '2024-05-15T12:30Z', 'hour')).toBe('2024-05-15T10:00:00.000Z');
    expect(rounded('2024-05-15T10:30Z', '2024-05-16T12:00Z', 'day')).toBe('2024-05-15T10:30:00.000Z');
  });
});

describe('the period before', () => {
  const earlier = (
    from: string,
    until: string,
    interval: Interval,
    zone: string,
    dateFrom?: string,
    dateTo?: string,
  ) => {
    const range = previousRange({ from: Date.parse(from), until: Date.parse(until) }, interval, zone, dateFrom, dateTo);
    return [iso(range.from), iso(range.until)];
  };

  it('has the same length, and ends where this one begins', () => {
    const days = earlier('2024-05-10T00:00Z', '2024-05-15T00:00Z', 'day', 'UTC', '2024-05-10', '2024-05-14');
    expect(days).toEqual(['2024-05-05T00:00:00.000Z', '2024-05-10T00:00:00.000Z']);
  });

  it.each([
    ['-1y', '2023-05-10T00:00:00.000Z', '2023-05-15T00:00:00.000Z'],
    ['-30d', '2024-04-10T00:00:00.000Z', '2024-04-15T00:00:00.000Z'],
    ['4w', '2024-04-12T00:00:00.000Z', '2024-04-17T00:00:00.000Z'],
    ['-0d', undefined, undefined],
    ['last year', undefined, undefined],
  ])('can begin %s before this one', (ago, from, until) => {
    const range = { from: Date.parse('2024-05-10T00:00Z'), until: Date.parse('2024-05-15T00:00Z') };
    const found = earlierRange(range, ago, 'day', 'UTC');
    expect([found && iso(found.from), found && iso(found.until)]).toEqual([from, until]);
  });

  it('of weeks up to now has the same days of the week', () => {
    const days = earlier('2024-05-08T00:00Z', '2024-05-16T00:00Z', 'day', 'UTC', '-7d');
    expect(days).toEqual(['2024-05-01T00:00:00.000Z', '2024-05-09T00:00:00.000Z']);
  });

  it('counts days, not hours, over a change of the clocks', () => {
    const days = earlier(
      '2024-03-31T00:00+01:00',
      '2024-04-01T00:00+02:00',
      'day',
      'Europe/Berlin',
      '2024-03-31',
      '2024-03-31',
    );
    expect(days).toEqual(['2024-03-29T23:00:00.000Z', '2024-03-30T23:00:00.000Z']);
  });

  it('of hours begins at the same time of day', () => {
    const hours = earlier('2024-05-10T00:00Z', '2024-05-10T20:18Z', 'hour', 'UTC', 'dStart');
    expect(hours).toEqual(['2024-05-09T00:00:00.000Z', '2024-05-09T21:00:00.000Z']);
  });
});

it('knows the names of time zones', () => {
  expect(['UTC', 'Europe/Berlin', 'US/Pacific'].every(isTimeZone)).toBe(true);
  expect(['', 'Mars/Olympus', 'Europe/berlin; drop table', 5, null].some(isTimeZone)).toBe(false);
});
