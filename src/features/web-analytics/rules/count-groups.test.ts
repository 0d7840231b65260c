import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupCounts, intervalsOf, VisitorRows } from './count-groups.ts';
import { compareGroups, compareTexts, firstGroups } from './rank-groups.ts';

const SIZE = 4;
const pause = async (): Promise<void> => undefined;
const someRows = fc.array(
  fc.record({ visitor: fc.nat(5), group: fc.nat(SIZE - 1), value: fc.integer({ min: -5, max: 100 }) }),
);

type Row = { visitor: number; group: number; value: number };

/** Few visitors are counted by bits, many by their order. */
const LIMITS = [6, 1_000_000];

/** `groupOf`: the group of each code; null where codes are groups. */
async function addTo(
  counts: GroupCounts,
  rows: readonly Row[],
  groupOf: Int32Array | null,
  limit: number,
): Promise<void> {
  const column = (read: (row: Row) => number): Int32Array => Int32Array.from(rows, read);
  const all = new VisitorRows(
    column(({ visitor }) => visitor),
    limit,
    pause,
  );
  const values = { seconds: column(({ value }) => value), bounces: column(({ value }) => 2 * value) };
  await counts.add(
    all,
    column(({ group }) => group),
    { groupOf, size: SIZE },
    values,
  );
}

function expectCounts(counts: GroupCounts, rows: readonly Row[], groupOf: (code: number) => number): void {
  for (let group = 0; group < SIZE; group++) {
    const own = rows.filter((row) => groupOf(row.group) === group);
    expect(counts.rows[group]).toBe(own.length);
    expect(counts.visitors[group]).toBe(new Set(own.map(({ visitor }) => visitor)).size);
    const sum = own.reduce((total, { value }) => total + value, 0);
    expect([counts.seconds[group], counts.bounces[group]]).toEqual([sum, 2 * sum]);
  }
}

describe.each(LIMITS)('groups of rows of visitors below %d', (limit) => {
  const runs = { numRuns: limit > 1000 ? 20 : 100 };

  it('have as many rows, visitors and as large sums as plain loops find', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        await addTo(counts, rows, null, limit);
        expectCounts(counts, rows, (code) => code);
      }),
      runs,
    );
  });

  it('may be several codes', async () => {
    const groupOf = Int32Array.of(2, 0, 2, 1);
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        await addTo(counts, rows, groupOf, limit);
        expectCounts(counts, rows, (code) => groupOf[code] as number);
      }),
      runs,
    );
  });

  it('are the same if the rows of some visitors come after those of others', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        for (const rest of [0, 1]) {
          const some = rows.filter(({ visitor }) => visitor % 2 === rest);
          await addTo(counts, some, null, limit);
        }
        expectCounts(counts, rows, (code) => code);
      }),
      runs,
    );
  });
});

describe('groups', () => {
  it('have the visitors who were seen', async () => {
    const rows = new VisitorRows(Int32Array.of(3, 1, 3), 5, pause);
    expect([...(await rows.seen())]).toEqual([0, 1, 0, 1, 0]);
  });

  it('of times are their intervals', () => {
    expect([...intervalsOf(Int32Array.of(0, 9, 10, 19, 20, 500), [-3, 10, 20])]).toEqual([0, 0, 1, 1, 2, 2]);
    expect([...intervalsOf(Int32Array.of(0, 7), [0])]).toEqual([0, 0]);
  });

  it('of times are their intervals, however long each is', () => {
    const someStarts = fc
      .uniqueArray(fc.integer({ min: -50, max: 1000 }), { minLength: 1 })
      .map((starts) => starts.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(someStarts, fc.array(fc.nat(2000)), (starts, after) => {
        const times = Int32Array.from(after, (seconds) => (starts[0] as number) + seconds);
        const expected = [...times].map((time) => starts.findLastIndex((start) => start <= time));
        expect([...intervalsOf(times, starts)]).toEqual(expected);
      }),
    );
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
