import { expect, it } from 'vitest';
import { countFitting } from './count-fitting.ts';

it.each([
  [[], 10, 0],
  [[10], 10, 1],
  [[11], 10, 1],
  [[5, 5, 5], 10, 2],
  [[5, 6], 10, 1],
  [[11, 1], 10, 1],
  [[1, 2, 3], 10, 3],
])('of sizes %j, at most %i together: %i', (sizes, max, expected) => {
  expect(
    countFitting(
      sizes.map((bytes) => ({ bytes })),
      max,
    ),
  ).toBe(expected);
});
