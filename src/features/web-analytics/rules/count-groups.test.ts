import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countGroups, intervalsOf, orderByVisitor, sumGroups } from './count-groups.ts';
import { compareGroups, compareTexts, firstGroups } from './rank-groups.ts';

const SIZE = 4;
const pause = async (): Promise<void> => undefined;
const someRows = fc.array(
  fc.record({ visitor: fc.nat(5), group: fc.nat(SIZE - 1), value: fc.integer({ min: -5, max: 100 }) }),
);

describe('groups', () => {
  it('have as many rows, visitors and as large sums as plain loops find', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const groups = Int32Array.from(rows, ({ group }) => group);
        const values = Int32Array.from(rows, ({ value }) => value);
        const ordered = await orderByVisitor(
          Int32Array.from(rows, ({ visitor }) => visitor),
          6,
          pause,
        );
        const counts = await countGroups(ordered, groups, SIZE, pause);
        const sums = await sumGroups(values, groups, SIZE, pause);
        for (let group = 0; group < SIZE; group++) {
          const own = rows.filter((row) => row.group === group);
          expect(counts.rows[group]).toBe(own.length);
          expect(counts.visitors[group]).toBe(new Set(own.map(({ visitor }) => visitor)).size);
          expect(sums[group]).toBe(own.reduce((total, { value }) => total + value, 0));
        }
      }),
    );
  });

  it('of times are their intervals', () => {
    expect([...intervalsOf(Int32Array.of(0, 9, 10, 19, 20, 500), [-3, 10, 20])]).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('that are shown are among the first ones, in every order', () => {
    const someGroups = fc.uniqueArray(
      fc.record({ group: fc.nat(50), visitors: fc.nat(3), rows: fc.nat(3), value: fc.constantFrom('a', 'b', 'c') }),
      { selector: ({ group }) => group },
    );
    const someOrder = fc.constantFrom('-visitors', 'visitors', '-sessions', 'views', 'value');
    fc.assert(
      fc.property(someGroups, someOrder, fc.integer({ min: 1, max: 5 }), (groups, order, count) => {
        const numbers = (of: typeof groups) =>
          of
            .toSorted(compareGroups(order))
            .slice(0, count)
            .map(({ visitors, rows, value }) => [visitors, rows, value]);
        const first = new Set(firstGroups(groups, order, count).map(({ group }) => group));
        expect(numbers(groups.filter(({ group }) => first.has(group)))).toEqual(numbers(groups));
      }),
    );
  });

  it('are ordered by the bytes of their texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareTexts(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
