import { expect, it } from 'vitest';
import { countMonthsToAdd } from './months-to-add.ts';

it.each([
  ['half of those that fit', [10, 10, 10, 10, 10], 40, 2],
  ['one that takes more than half', [30, 10], 40, 1],
  ['one that takes all of it', [40, 1], 40, 1],
  ['none that does not fit', [41, 1], 40, 0],
  ['all of them if they are small', [1, 1, 1], 40, 3],
  ['all of them if events take no space', [1, 1, 1], Infinity, 3],
  ['none if there are none', [], 40, 0],
])('adds %s', (_, months, eventsThatFit, expected) => {
  expect(countMonthsToAdd(months, eventsThatFit)).toBe(expected);
});
