import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet, inChunks } from './id-set.ts';

const ids = fc.uniqueArray(
  fc.oneof(fc.nat(100), fc.nat(100_000), fc.constantFrom(31, 32, 8191, 8192, 2 ** 31, 2 ** 40)),
  { maxLength: 60 },
);
const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

it('is a set like any other', () => {
  fc.assert(
    fc.property(ids, ids, (left, right) => {
      const [a, b] = [IdSet.of(left), IdSet.of(right)];
      expect([...a]).toEqual(sorted(left));
      expect(a.size).toBe(left.length);
      expect([...a.or(b)]).toEqual(sorted(new Set([...left, ...right])));
      expect([...a.and(b)]).toEqual(sorted(left.filter((id) => right.includes(id))));
      expect([...a.without(b)]).toEqual(sorted(left.filter((id) => !right.includes(id))));
      for (const id of right) expect(a.has(id)).toBe(left.includes(id));
    }),
  );
});

it('comes in chunks', () => {
  expect([...inChunks(IdSet.of([5, 1, 3]), 2)]).toEqual([[1, 3], [5]]);
  expect([...inChunks([], 2)]).toEqual([]);
});
