import { expect, it } from 'vitest';
import { parseMoment } from './parse-date.ts';

const NOW = Date.parse('2024-03-31T12:00:00Z');

it.each([
  ['2h', '2024-03-31T10:00:00Z'],
  ['-5d', '2024-03-26T12:00:00Z'],
  ['1w', '2024-03-24T12:00:00Z'],
  ['1m', '2024-02-29T12:00:00Z'],
  ['1q', '2023-12-31T12:00:00Z'],
  ['1y', '2023-03-31T12:00:00Z'],
  ['2020-01-05', '2020-01-05T00:00:00Z'],
  ['2020-01-05T10:00:00+02:00', '2020-01-05T08:00:00Z'],
  ['2020-01-05T10:00:00 02:00', '2020-01-05T08:00:00Z'],
  ['2020-01-05 10:00', '2020-01-05T10:00:00Z'],
])('reads %s as %s', (text, moment) => {
  expect(parseMoment(text, NOW)).toBe(Date.parse(moment));
});

it.each(['', 'yesterday', '5', 'd', '5x', '999999y', '2020-13-45', "' or 1=1 --"])('rejects %j', (text) => {
  expect(parseMoment(text, NOW)).toBeUndefined();
});
