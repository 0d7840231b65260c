import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineCodes } from './combine-codes.ts';
import { type CodeCounts, type CodeGroups, GroupCounts, seenVisitors, VisitorRows } from './count-groups.ts';
import { compareGroups, compareTexts, firstGroups } from './rank-groups.ts';

const SIZE = 4;
const VISITORS = 6;
const pause = async (): Promise<void> => undefined;
const someRows = fc.array(
  fc.record({ visitor: fc.nat(5), group: fc.nat(SIZE - 1), value: fc.integer({ min: -5, max: 100 }) }),
);

type Row = { visitor: number; group: number; value: number };

async function visitorsOf(counted: CodeCounts, groups: CodeGroups): Promise<number[]> {
  const counts = new GroupCounts();
  await counts.add(counted, groups, pause);
  return [...counts.visitors];
}

/** `groupOf`: the group of each code; null where codes are groups. */
async function addTo(counts: GroupCounts, rows: readonly Row[], groupOf: Int32Array | null): Promise<void> {
  const column = (read: (row: Row) => number): Int32Array => Int32Array.from(rows, read);
  const all = new VisitorRows(
    column(({ visitor }) => visitor),
    VISITORS,
    pause,
  );
  const values = { seconds: column(({ value }) => value), bounces: column(({ value }) => 2 * value) };
  const counted = await all.count(
    column(({ group }) => group),
    values,
  );
  await counts.add(counted, { groupOf, size: SIZE }, pause);
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

describe('groups of rows', () => {
  it('have as many rows, visitors and as large sums as plain loops find', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        await addTo(counts, rows, null);
        expectCounts(counts, rows, (code) => code);
      }),
    );
  });

  it('may be several codes', async () => {
    const groupOf = Int32Array.of(2, 0, 2, 1);
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        await addTo(counts, rows, groupOf);
        expectCounts(counts, rows, (code) => groupOf[code] as number);
      }),
    );
  });

  it('are the same if the rows of some visitors come after those of others', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        for (const rest of [0, 1]) {
          const some = rows.filter(({ visitor }) => visitor % 2 === rest);
          await addTo(counts, some, null);
        }
        expectCounts(counts, rows, (code) => code);
      }),
    );
  });
});

describe('groups', () => {
  it('have the visitors who were seen', async () => {
    const rows = new VisitorRows(Int32Array.of(3, 1, 3), 5, pause);
    const counted = await rows.count(Int32Array.of(2, 0, 0), null);
    expect([...seenVisitors(counted)]).toEqual([0, 1, 0, 1, 0]);
    expect(await visitorsOf(counted, { groupOf: null, size: 4 })).toEqual([2, 0, 1, 0]);
  });

  it('have no visitors without rows', async () => {
    const rows = new VisitorRows(new Int32Array(0), 5, pause);
    const counted = await rows.count(new Int32Array(0), null);
    expect([...seenVisitors(counted)]).toEqual([0, 0, 0, 0, 0]);
    expect(await visitorsOf(counted, { groupOf: null, size: 2 })).toEqual([0, 0]);
  });

  it('of more rows than are gone through at once have each visitor once', async () => {
    const count = 1_000_003;
    let pauses = 0;
    const rows = new VisitorRows(
      Int32Array.from({ length: count }, (_, row) => row % 1009),
      1009,
      async () => {
        pauses++;
      },
    );
    // The third code has no row; turns end within codes and between them.
    const codes = Int32Array.from({ length: count }, (_, row) => (row < 400_000 ? 0 : row < 900_000 ? 1 : 3));
    const counted = await rows.count(codes, null);
    expect([...counted.rows]).toEqual([400_000, 500_000, 0, 100_003]);
    expect(await visitorsOf(counted, { groupOf: null, size: 4 })).toEqual([1009, 1009, 0, 1009]);
    const groupOf = Int32Array.of(1, 0, 0, 1);
    expect(await visitorsOf(counted, { groupOf, size: 2 })).toEqual([1009, 1009]);
    expect(pauses).toBe(6);
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

describe('combined codes', () => {
  const someColumns = (most: number) =>
    fc
      .array(fc.array(fc.nat(most), { minLength: 3, maxLength: 3 }), { maxLength: 40 })
      .map((rows) => new Map(['a', 'b', 'c'].map((name, at) => [name, Int32Array.from(rows, (row) => row[at] ?? 0)])));

  /** The codes that a column had before. */
  const columnIn = (combined: ReturnType<typeof combineCodes>, name: string): number[] | undefined => {
    const own = combined.find(({ columns }) => columns.has(name));
    const codeOf = own?.columns.get(name);
    return own && Array.from(own.codes, (code) => (codeOf ? (codeOf[code] as number) : code));
  };

  it.each([3, 3000, 5_000_000])('stand for those of all columns, which are up to %d', (most) => {
    fc.assert(
      fc.property(someColumns(most), (columns) => {
        const combined = combineCodes(columns);
        for (const [name, codes] of columns) expect(columnIn(combined, name)).toEqual([...codes]);
      }),
      { numRuns: most > 1000 ? 20 : 100 },
    );
  });

  it('are as many as there are different rows, or leave columns alone', () => {
    const count = 20_000;
    const column = (code: (row: number) => number) => Int32Array.from({ length: count }, (_, row) => code(row));
    const columns = new Map([
      ['device', column((row) => row % 3)],
      ['path', column((row) => row % 9000)],
      ['browser', column((row) => 7 + (row % 4))],
    ]);
    const combined = combineCodes(columns);
    expect(combined.map((one) => [...one.columns.keys()])).toEqual([['device', 'browser'], ['path']]);
    expect(new Set(combined[0]?.codes).size).toBe(12);
    for (const [name, codes] of columns) expect(columnIn(combined, name)).toEqual([...codes]);
  });
});
