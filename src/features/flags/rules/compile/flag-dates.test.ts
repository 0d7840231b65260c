import { describe, expect, it } from 'vitest';
import { parseFlagDate, parsePropertyDate } from './flag-dates.ts';

const iso = (moment: number | undefined): string | null =>
  moment === undefined ? null : new Date(moment).toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');

describe('dates in conditions', () => {
  it.each([
    ['2023-03-31', '1m', '2023-02-28'],
    ['2024-03-31', '1m', '2024-02-29'],
    ['2023-03-31', '2m', '2023-01-28'],
    ['2023-03-31', '-12m', '2022-03-28'],
    ['2023-05-31', '1m', '2023-04-30'],
    ['2023-05-31', '2m', '2023-03-30'],
    ['2023-05-15', '13m', '2022-04-15'],
    ['2024-02-29', '1y', '2023-02-28'],
    ['2024-02-29', '4y', '2020-02-29'],
    ['2023-03-31', '1y', '2022-03-31'],
    ['2023-05-01', '0d', '2023-05-01'],
    ['2023-05-01', '-0m', '2023-05-01'],
    ['2023-05-01', '36h', '2023-04-29T12:00:00Z'],
    ['2023-05-01', '007d', '2023-04-24'],
    ['2023-05-01', '9999h', '2022-03-10T09:00:00Z'],
  ])('at %s, %s is %s', (now, text, expected) => {
    expect(iso(parseFlagDate(text)?.(Date.parse(now)))).toBe(expected);
  });

  it.each(['10000d', '1.5d', '1D', '1s', '+1d', '--1d', 'd', '', '-', '1', '20230501', 'tomorrow', '1d '])(
    'has no date %j',
    (text) => expect(parseFlagDate(text)).toBeNull(),
  );

  it.each([
    ['2023-05-01', '2023-05-01'],
    ['2023-05-01T02:00:00+02:00', '2023-05-01'],
    ['2023-05-01 12:30:00', '2023-05-01T12:30:00Z'],
    ['2023-05-01 12:30:00 GMT', '2023-05-01T12:30:00Z'],
  ])('reads %s as %s', (text, expected) => expect(iso(parseFlagDate(text)?.(0))).toBe(expected));

  it.each([
    [1_682_899_200, '2023-05-01'],
    ['1682899200', '2023-05-01'],
    ['1682899200.5', '2023-05-01T00:00:00.500Z'],
    [0, '1970-01-01'],
    [1e17, null],
    [true, null],
    [null, null],
    [['2023-05-01'], null],
    ['soon', null],
  ])('reads the property %j as %s', (value, expected) => expect(iso(parsePropertyDate(value))).toBe(expected));
});
