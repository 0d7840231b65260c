import { describe, expect, it } from 'vitest';
import { activeWindow } from './active-window.ts';
import { type Interval, nextIntervalStart, startOfInterval } from './interval.ts';
import { parseDate } from './parse-date.ts';
import { previousRange } from './previous-range.ts';
import { readPointRange } from './read-date-range.ts';

const iso = (at: number | undefined): string => (at === undefined ? 'no date' : new Date(at).toISOString());
const ms = (text: string): number => Date.parse(text);

/** Zones whose midnight is skipped or repeated, and other odd changes of the clocks. */
const DAYS: [zone: string, day: string, noon: string, start: string, next: string][] = [
  // Midnight is skipped: the day begins at 01:00.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T14:00Z', '2018-11-04T03:00Z', '2018-11-05T02:00Z'],
  ['America/Havana', '2023-03-12', '2023-03-12T16:00Z', '2023-03-12T05:00Z', '2023-03-13T04:00Z'],
  ['America/Asuncion', '2023-10-01', '2023-10-01T15:00Z', '2023-10-01T04:00Z', '2023-10-02T03:00Z'],
  ['Asia/Beirut', '2021-03-28', '2021-03-28T09:00Z', '2021-03-27T22:00Z', '2021-03-28T21:00Z'],
  ['Africa/Cairo', '2023-04-28', '2023-04-28T09:00Z', '2023-04-27T22:00Z', '2023-04-28T21:00Z'],
  // The hour around midnight comes twice.
  ['America/Sao_Paulo', '2018-02-17', '2018-02-17T14:00Z', '2018-02-17T02:00Z', '2018-02-18T03:00Z'],
  ['America/Havana', '2023-11-05', '2023-11-05T17:00Z', '2023-11-05T04:00Z', '2023-11-06T05:00Z'],
  ['Asia/Beirut', '2021-10-30', '2021-10-30T09:00Z', '2021-10-29T21:00Z', '2021-10-30T22:00Z'],
  ['Africa/Cairo', '2023-10-26', '2023-10-26T09:00Z', '2023-10-25T21:00Z', '2023-10-26T22:00Z'],
  // 30 December 2011 did not exist; half an hour is moved; an ordinary spring.
  ['Pacific/Apia', '2011-12-29', '2011-12-29T22:00Z', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T22:00Z', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
  ['Australia/Lord_Howe', '2023-04-02', '2023-04-02T01:30Z', '2023-04-01T13:00Z', '2023-04-02T13:30Z'],
  ['Australia/Lord_Howe', '2023-10-01', '2023-10-01T01:00Z', '2023-09-30T13:30Z', '2023-10-01T13:00Z'],
  ['Europe/Berlin', '2024-03-31', '2024-03-31T10:00Z', '2024-03-30T23:00Z', '2024-03-31T22:00Z'],
];

describe('a day', () => {
  it.each(DAYS)('in %s, %s, has its own start and end', (zone, day, noon, start, next) => {
    expect(iso(startOfInterval(ms(noon), 'day', zone))).toBe(iso(ms(start)));
    expect(iso(nextIntervalStart(ms(start), 'day', zone))).toBe(iso(ms(next)));
    expect(iso(parseDate(day, ms(noon), zone))).toBe(iso(ms(start)));
    expect(iso(parseDate('dStart', ms(noon), zone))).toBe(iso(ms(start)));
    expect(iso(parseDate('dEnd', ms(noon), zone))).toBe(iso(ms(next) - 1));
  });

  it.each(DAYS)('in %s, %s, given twice, is that day', (zone, day, noon, start, next) => {
    const range = readPointRange(day, 'day', { now: ms(noon), timezone: zone });
    expect([iso(range.from), iso(range.until)]).toEqual([iso(ms(start)), iso(ms(next))]);
  });
});

it.each<[string, Interval, string, string]>([
  ['America/Sao_Paulo', 'week', '2018-11-07T14:00Z', '2018-11-04T03:00Z'],
  ['America/Havana', 'week', '2023-03-15T16:00Z', '2023-03-12T05:00Z'],
  ['America/Asuncion', 'month', '2023-10-20T15:00Z', '2023-10-01T04:00Z'],
  ['Africa/Cairo', 'month', '2014-08-20T09:00Z', '2014-07-31T22:00Z'],
  ['Pacific/Apia', 'week', '2011-12-30T22:00Z', '2011-12-25T10:00Z'],
  ['Australia/Lord_Howe', 'month', '2023-10-20T01:00Z', '2023-09-30T13:30Z'],
])('in %s a %s that begins on such a day begins where the day does', (zone, interval, at, start) => {
  expect(iso(startOfInterval(ms(at), interval, zone))).toBe(iso(ms(start)));
});

it('compares a day that begins at 01:00 with the whole day before', () => {
  const day = { from: ms('2018-11-04T03:00Z'), until: ms('2018-11-05T02:00Z') };
  const { from, until } = previousRange(day, 'day', 'America/Sao_Paulo', '2018-11-04', '2018-11-04');
  expect([iso(from), iso(until)]).toEqual(['2018-11-03T03:00:00.000Z', '2018-11-04T03:00:00.000Z']);
});

it('counts whole days of activity up to a day that begins at 01:00', () => {
  const { from, until } = activeWindow(ms('2018-11-04T03:00Z'), 7, 'day', 'America/Sao_Paulo');
  expect([iso(from), iso(until)]).toEqual(['2018-10-29T03:00:00.000Z', '2018-11-05T02:00:00.000Z']);
});
