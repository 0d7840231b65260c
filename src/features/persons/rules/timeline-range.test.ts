import { describe, expect, it } from 'vitest';
import { type TimelineDates, timelineRange } from './timeline-range.ts';

const NOW = Date.parse('2023-02-15T12:34:56.789Z');
const EARLIEST = Date.parse('2020-05-05T05:05:05Z');
const range = ({ timezone = 'UTC', ...over }: Partial<TimelineDates> & { timezone?: string }): string[] => {
  const dates = { dateFrom: undefined, dateTo: undefined, interval: 'day', explicit: false, isSeries: true } as const;
  const { from, to } = timelineRange({ ...dates, ...over }, { timezone, now: NOW, earliest: EARLIEST });
  return [from, to].map((time) => new Date(time).toISOString());
};

describe('the range of a timeline', () => {
  it.each<[string, Partial<TimelineDates> & { timezone?: string }, string, string]>([
    ['the last week', {}, '2023-02-08T00:00:00.000Z', '2023-02-15T23:59:59.999Z'],
    [
      'two days',
      { dateFrom: '2020-01-01', dateTo: '2020-01-02' },
      '2020-01-01T00:00:00.000Z',
      '2020-01-02T23:59:59.999Z',
    ],
    [
      'whole days, although times are given',
      { dateFrom: '2020-01-01T10:00:00Z', dateTo: '2020-01-02T11:00:00Z' },
      '2020-01-01T00:00:00.000Z',
      '2020-01-02T23:59:59.999Z',
    ],
    [
      'explicit times',
      { dateFrom: '2020-01-01T10:00:00Z', dateTo: '2020-01-02T11:00:00Z', explicit: true },
      '2020-01-01T10:00:00.000Z',
      '2020-01-02T11:00:00.000Z',
    ],
    ['hours', { dateFrom: '-2h', interval: 'hour' }, '2023-02-15T10:34:56.789Z', '2023-02-15T12:35:56.789Z'],
    ['hours back from now', { dateFrom: '-2h' }, '2023-02-15T10:34:56.789Z', '2023-02-15T23:59:59.999Z'],
    ['all', { dateFrom: 'all' }, '2020-05-05T00:00:00.000Z', '2023-02-15T23:59:59.999Z'],
    ['this month', { dateFrom: 'mStart' }, '2023-02-01T00:00:00.000Z', '2023-02-15T23:59:59.999Z'],
    ['last month', { dateFrom: '-1mStart', dateTo: '-1mEnd' }, '2023-01-01T00:00:00.000Z', '2023-01-31T23:59:59.999Z'],
    ['this year', { dateFrom: 'yStart', dateTo: 'dStart' }, '2023-01-01T00:00:00.000Z', '2023-02-15T23:59:59.999Z'],
    ['a day', { dateFrom: '2020-01-02', dateTo: '2020-01-02' }, '2020-01-02T00:00:00.000Z', '2020-01-02T23:59:59.999Z'],
    [
      'an hour',
      { dateFrom: '2020-01-02T03:00:00Z', dateTo: '2020-01-02T03:00:00Z', interval: 'hour' },
      '2020-01-02T03:00:00.000Z',
      '2020-01-02T04:00:00.000Z',
    ],
    [
      'a week',
      { dateFrom: '2020-01-05', dateTo: '2020-01-05', interval: 'week' },
      '2020-01-05T00:00:00.000Z',
      '2020-01-11T23:59:59.999Z',
    ],
    [
      'a month',
      { dateFrom: '2020-02-01', dateTo: '2020-02-01', interval: 'month' },
      '2020-02-01T00:00:00.000Z',
      '2020-02-29T23:59:59.999Z',
    ],
    [
      'a day, where a month is not one point of many',
      { dateFrom: '2020-02-01', dateTo: '2020-02-01', interval: 'month', isSeries: false },
      '2020-02-01T00:00:00.000Z',
      '2020-02-01T23:59:59.999Z',
    ],
    [
      'a day in summer in Berlin',
      { dateFrom: '2020-07-01', dateTo: '2020-07-01', timezone: 'Europe/Berlin' },
      '2020-06-30T22:00:00.000Z',
      '2020-07-01T21:59:59.999Z',
    ],
    [
      'a day without midnight in São Paulo',
      { dateFrom: '2018-11-04', dateTo: '2018-11-04', timezone: 'America/Sao_Paulo' },
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T01:59:59.999Z',
    ],
    [
      'a day of 23 hours in New York',
      { dateFrom: '2020-03-08', dateTo: '2020-03-08', timezone: 'America/New_York' },
      '2020-03-08T05:00:00.000Z',
      '2020-03-09T03:59:59.999Z',
    ],
  ])('%s', (_name, question, from, to) => {
    expect(range(question)).toEqual([from, to]);
  });

  it.each(['yesterday', '-7x', '2020-13-01', ''])('refuses %j', (dateFrom) => {
    expect(() => range({ dateFrom })).toThrow(/is not a date: use /);
  });
});
