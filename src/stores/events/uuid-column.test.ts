import { expect, it } from 'vitest';
import { joinUuids } from './uuid-column.ts';

it('joins columns in their order', () => {
  const wordsOf = (...lows: number[]) => ({
    words: BigUint64Array.from(lows.flatMap((low) => [BigInt(low), 1n << 63n])),
    high: 1 as const,
    mask: 1n << 63n,
  });
  const joined = joinUuids([wordsOf(7, 3), wordsOf(), wordsOf(5)]);
  expect([0, 1, 2].map((row) => joined?.textAt(row).slice(-1))).toEqual(['7', '3', '5']);
  expect([joined?.compare(0, 2), joined?.compare(1, 2), joined?.compare(2, 2)]).toEqual([1, -1, 0]);
  expect(joinUuids([])).toBeNull();
});
