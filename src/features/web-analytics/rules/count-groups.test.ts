import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupCounts, type GroupNumbers, RowsByPerson } from './count-groups.ts';
import { countPacked, type PackedRows } from './count-packed.ts';
import { compareGroups, compareTexts, firstGroups } from './rank-groups.ts';
import { RowLayout, rowsByCode } from './row-layout.ts';

const SIZE = 4;
const VISITORS = 6;
const pause = async (): Promise<void> => undefined;

interface Row {
  visitor: number;
  code: number;
  seconds: number;
  bounce: number;
}

const someRows = fc.array(
  fc.record({
    visitor: fc.nat(VISITORS - 1),
    code: fc.nat(SIZE - 1),
    seconds: fc.nat(86_400),
    bounce: fc.nat(1),
  }),
);

/** Numbers of other sizes, so that what is counted is in any word. */
const someOthers = fc.array(fc.integer({ min: 2, max: 2 ** 31 - 1 }), { maxLength: 4 });

/** As the engine packs them. */
function packed(layout: RowLayout, rows: readonly Row[]): Int32Array[] {
  const words = Array.from({ length: layout.size }, () => new Int32Array(rows.length));
  const { word, shift } = layout.place('code');
  rows.forEach(({ code }, row) => {
    (words[word] as Int32Array)[row] = code << shift;
  });
  return words;
}

const spareFor = ({ length }: readonly Row[]): Int32Array => new Int32Array(length);

const visitorsOf = (rows: readonly Row[]): Int32Array => Int32Array.from(rows, ({ visitor }) => visitor);

const layoutOf = (others: readonly number[]): RowLayout =>
  new RowLayout([
    ...others.slice(0, 2).map((size, at) => ({ name: `before${at}`, size })),
    { name: 'code', size: SIZE },
    ...others.slice(2).map((size, at) => ({ name: `between${at}`, size })),
  ]);

/** The word with seconds and bounces comes after those of the layout. */
const withSums = (layout: RowLayout, rows: readonly Row[]): Int32Array[] => [
  ...packed(layout, rows),
  Int32Array.from(rows, ({ seconds, bounce }) => 2 * seconds + bounce),
];

const everybody = Int32Array.from({ length: VISITORS }, (_, visitor) => visitor);

async function count(
  layout: RowLayout,
  rows: readonly Row[],
  personOf: Int32Array = everybody,
  groupOf: Int32Array | null = null,
): Promise<GroupNumbers> {
  const persons = { personOf, limit: VISITORS };
  const ordered = await RowsByPerson.inOrder(visitorsOf(rows), withSums(layout, rows), spareFor(rows), persons, pause);
  const sums = ordered.sumsOf(layout.size);
  return ordered.count(layout.place('code'), { groupOf, size: SIZE }, sums);
}

function expectNumbers(
  numbers: GroupNumbers,
  rows: readonly Row[],
  groupOf: (code: number) => number = (code) => code,
  personOf: (visitor: number) => number = (visitor) => visitor,
): void {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  for (let group = 0; group < SIZE; group++) {
    const own = rows.filter(({ code }) => groupOf(code) === group);
    expect(numbers.rows[group]).toBe(own.length);
    expect(numbers.visitors[group]).toBe(new Set(own.map(({ visitor }) => personOf(visitor))).size);
    expect(numbers.seconds[group]).toBe(sum(own.map(({ seconds }) => seconds)));
    expect(numbers.bounces[group]).toBe(sum(own.map(({ bounce }) => bounce)));
  }
}

describe('groups of rows', () => {
  it('have as many rows, visitors and as large sums as plain loops find', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, someOthers, async (rows, others) => {
        expectNumbers(await count(layoutOf(others), rows), rows);
      }),
    );
  });

  it('may be several codes', async () => {
    const groupOf = Int32Array.of(2, 0, 2, 1);
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const numbers = await count(layoutOf([]), rows, everybody, groupOf);
        expectNumbers(numbers, rows, (code) => groupOf[code] as number);
      }),
    );
  });

  it('count visitors who are the same person once', async () => {
    const personOf = Int32Array.of(0, 5, 2, 0, 5, 5);
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const numbers = await count(layoutOf([]), rows, personOf);
        expectNumbers(numbers, rows, undefined, (visitor) => personOf[visitor] as number);
      }),
    );
  });

  it('have no rows of visitors who are left out', async () => {
    const personOf = everybody.map((visitor) => (visitor % 2 === 0 ? visitor : VISITORS));
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const numbers = await count(layoutOf([]), rows, personOf);
        expectNumbers(
          numbers,
          rows.filter(({ visitor }) => visitor % 2 === 0),
        );
      }),
    );
  });

  it('are the same if the rows of some visitors come after those of others', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const counts = new GroupCounts();
        for (const rest of [0, 1]) {
          const some = rows.filter(({ visitor }) => visitor % 2 === rest);
          counts.add(await count(layoutOf([]), some));
        }
        expectNumbers(counts.numbers, rows);
      }),
    );
  });

  it('may be filled in by person', async () => {
    const layout = new RowLayout([
      { name: 'code', size: SIZE },
      { name: 'filled', size: 2 },
    ]);
    const rows = [3, 1, 3, 5].map((visitor) => ({ visitor, code: 3, seconds: 0, bounce: 0 }));
    const plain = rows.map(({ visitor, code }) => ({ visitor, code })) as Row[];
    const persons = { personOf: everybody, limit: VISITORS };
    const ordered = await RowsByPerson.inOrder(visitorsOf(rows), packed(layout, plain), spareFor(rows), persons, pause);
    ordered.fill(layout.place('filled'), Uint8Array.of(0, 1, 0, 0, 0, 1));
    expect([...ordered.persons]).toEqual([1, 3, 5]);
    const filled = await ordered.count(layout.place('filled'), { groupOf: null, size: 2 }, null);
    expect([[...filled.rows], [...filled.visitors]]).toEqual([
      [2, 2],
      [1, 2],
    ]);
    const codes = await ordered.count(layout.place('code'), { groupOf: null, size: SIZE }, null);
    expect([...codes.rows]).toEqual([0, 0, 0, 4]);
  });

  it('of more rows than are gone through at once have each visitor once', async () => {
    const length = 800_003;
    let pauses = 0;
    const layout = layoutOf([]);
    // The first visitor has more rows than are gone through at once; the third code has none.
    const rows = Array.from({ length }, (_, row) => ({
      visitor: row < 450_000 ? 0 : row % VISITORS,
      code: [0, 1, 3][row % 3] as number,
      seconds: 1,
      bounce: 0,
    }));
    const persons = { personOf: everybody, limit: VISITORS };
    const ordered = await RowsByPerson.inOrder(
      visitorsOf(rows),
      withSums(layout, rows),
      spareFor(rows),
      persons,
      async () => {
        pauses++;
      },
    );
    const sums = ordered.sumsOf(layout.size);
    expectNumbers(await ordered.count(layout.place('code'), { groupOf: null, size: SIZE }, sums), rows);
    expect(pauses).toBeGreaterThan(2);
  });
});

describe('rows of a layout', () => {
  it('have as many of each number as plain loops find', () => {
    fc.assert(
      fc.property(someRows, someOthers, (rows, others) => {
        const layout = layoutOf(others);
        const found = rowsByCode(packed(layout, rows), layout.place('code'));
        expect([...found]).toEqual([0, 1, 2, 3].map((code) => rows.filter((row) => row.code === code).length));
      }),
    );
  });

  it('keep numbers apart', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 ** 31 }), { minLength: 1, maxLength: 12 }), (sizes) => {
        const layout = new RowLayout(sizes.map((size, at) => ({ name: `n${at}`, size })));
        const used = new Map<number, number>();
        sizes.forEach((size, at) => {
          const { word, shift, mask } = layout.place(`n${at}`);
          expect(mask).toBeGreaterThanOrEqual(size - 1);
          const bits = Array.from({ length: 31 }, (_, bit) => bit).filter((bit) => ((mask >>> bit) & 1) === 1);
          const own = bits.reduce((all, bit) => all + 2 ** (bit + shift), 0);
          expect(own).toBeLessThan(2 ** 31);
          expect((used.get(word) ?? 0) & own).toBe(0);
          used.set(word, (used.get(word) ?? 0) + own);
        });
        expect(layout.size).toBe(used.size);
      }),
    );
  });

  it('are filled in where a number is taken out, as long as they fit', () => {
    const layout = new RowLayout([
      { name: 'visitor', size: 2 ** 20, isTakenOut: true },
      { name: 'code', size: 2 ** 11 },
      { name: 'tick', size: 2 ** 18, isFilledIn: true },
      { name: 'new', size: 2, isFilledIn: true },
      { name: 'other', size: 8, isFilledIn: true },
    ]);
    expect(['visitor', 'code', 'tick', 'new', 'other'].map((name) => layout.place(name))).toEqual([
      { word: 0, shift: 0, mask: 2 ** 20 - 1 },
      { word: 0, shift: 20, mask: 2 ** 11 - 1 },
      { word: 0, shift: 0, mask: 2 ** 18 - 1 },
      { word: 0, shift: 18, mask: 1 },
      { word: 1, shift: 0, mask: 7 },
    ]);
    expect(layout.sql({ visitor: 'r.visitor', code: 'r.code' })).toEqual({ word0: 'r.visitor + r.code * 1048576' });
  });

  it('are written in SQL as sums, without what is filled in', () => {
    const layout = new RowLayout([
      { name: 'a', size: 1024 },
      { name: 'b', size: 1000 },
      { name: 'c', size: 2 ** 25 },
      { name: 'new', size: 2, isFilledIn: true },
      { name: 'tick', size: 2 ** 20, isFilledIn: true },
    ]);
    expect(layout.sql({ a: 'r.a', b: 'r.b', c: 'r.c' })).toEqual({ word0: 'r.a + r.b * 1024', word1: 'r.c' });
    const words = layout.words({ rowCount: 2, integers: (name) => Int32Array.of(7, Number(name.slice(-1))) });
    expect(words.map((word) => [...word])).toEqual([
      [7, 0],
      [7, 1],
      [0, 0],
    ]);
    expect(() => layout.place('d')).toThrow('Rows have no number d.');
  });
});

describe('rows of a period', () => {
  const layout = new RowLayout([
    { name: 'visitor', size: VISITORS, isTakenOut: true },
    { name: 'code', size: SIZE },
    { name: 'tick', size: 100, isFilledIn: true },
  ]);
  const tick = layout.place('tick');
  /** As the engine packs them. */
  const wordsOf = (rows: readonly Pick<Row, 'visitor' | 'code'>[]): Int32Array[] => {
    const { shift } = layout.place('code');
    return layout.words({
      rowCount: rows.length,
      integers: () => Int32Array.from(rows, ({ visitor, code }) => visitor | (code << shift)),
    });
  };

  it('are of the interval that their time is in, however long the others are', async () => {
    const someBounds = fc
      .uniqueArray(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 2, maxLength: 100 })
      .map((bounds) => bounds.toSorted((a, b) => a - b));
    const someTimes = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }));
    await fc.assert(
      fc.asyncProperty(someBounds, someTimes, async (bounds, shares) => {
        const [first = 0, last = 0] = [bounds[0], bounds.at(-1)];
        // Also the first and the last moment of each interval.
        const times = [
          ...shares.map((share) => Math.floor(first + share * (last - first))),
          ...bounds.slice(0, -1),
          ...bounds.slice(1).map((end) => end - 1),
        ];
        const intervals = bounds.length - 1;
        const rows: PackedRows = {
          words: wordsOf(times.map(() => ({ visitor: 0, code: 3 }))),
          visitor: layout.place('visitor'),
          times: { times: Int32Array.from(times), bounds: Int32Array.from(bounds), place: tick },
          sessions: null,
          persons: { personOf: everybody, limit: VISITORS },
          filled: null,
          fields: [tick, layout.place('code')].map((place) => ({ place, groups: { groupOf: null, size: 128 } })),
        };
        const { tables } = await countPacked(rows, pause);
        const found = Array.from(
          { length: intervals },
          (_, at) => times.filter((time) => time >= (bounds[at] as number) && time < (bounds[at + 1] as number)).length,
        );
        expect([...(tables[0]?.rows ?? [])].slice(0, intervals)).toEqual(found);
        expect(tables[1]?.rows[3]).toBe(times.length);
      }),
    );
  });

  it('have whole seconds, and are bounces if they are short and have one hit at most', async () => {
    const durations = [0, 999, 9_999, 10_000, 86_400_000, 9_999, 5_000];
    const hits = [1, 0, 1, 1, 1, 2, 3];
    const count = durations.length;
    const packedDurations = durations.map((ms, row) => 2 * ms + ((hits[row] as number) <= 1 ? 1 : 0));
    const { tables } = await countPacked(
      {
        words: wordsOf(durations.map((_, row) => ({ visitor: row % 2, code: row % 2 }))),
        visitor: layout.place('visitor'),
        times: { times: new Int32Array(count), bounds: Int32Array.of(0, 1), place: tick },
        sessions: { durations: Int32Array.from(packedDurations), bounceSeconds: 10 },
        persons: { personOf: everybody, limit: VISITORS },
        filled: null,
        fields: [{ place: layout.place('code'), groups: { groupOf: null, size: SIZE } }],
      },
      pause,
    );
    const [{ rows, seconds, bounces, visitors }] = tables as [GroupNumbers];
    expect([[...rows], [...visitors]]).toEqual([
      [4, 3, 0, 0],
      [1, 1, 0, 0],
    ]);
    expect([...seconds]).toEqual([9 + 86_400 + 5, 10 + 9, 0, 0]);
    expect([...bounces]).toEqual([2, 1, 0, 0]);
  });
});

describe('groups', () => {
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
