import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json/json.ts';
import { type ColumnFilter, matchesPerson, matching, toColumns } from './person-columns.ts';

const KEYS = ['a', 'b', '__proto__', ''];
const VALUES: Json[] = ['x', 'X', '5', 5, 0, true, null, 'null', [1], { a: [1] }, '[1]', 'é\n"'];

const value = fc.constantFrom(...VALUES);
const person = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), value), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries) as JsonObject);

const said = (given: Json | undefined): string => (given === undefined ? 'absent' : JSON.stringify(given));

const leaf: fc.Arbitrary<ColumnFilter> = fc.oneof(
  fc
    .record({ key: fc.constantFrom(...KEYS), wanted: fc.oneof(value, fc.constant(undefined)) })
    .map(({ key, wanted }) => ({
      kind: 'property' as const,
      key,
      fits: (given: Json | undefined) => said(given) === said(wanted),
      part: typeof wanted === 'string' && /^\w+$/.test(wanted) ? wanted.toLowerCase() : null,
    })),
  fc.nat(25).map((wanted) => ({ kind: 'named' as const, id: 100 + wanted })),
  fc.nat(12).map((wanted) => ({ kind: 'person' as const, fits: (id: number) => id % 13 === wanted })),
);
const { test } = fc.letrec<{ test: ColumnFilter }>((tie) => ({
  test: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      tests: fc.array(tie('test'), { maxLength: 3 }),
    }),
  ),
}));

const noPause = () => undefined;

const rowsOf = (persons: readonly JsonObject[]) => {
  const columns = toColumns(persons);
  return {
    count: persons.length,
    ids: () => persons.map((_, i) => 100 + i),
    rowOf: (id: number) => (id - 100 < persons.length ? id - 100 : undefined),
    column: (name: string) => {
      const column = columns.find((one) => one.name === name);
      return column && { values: column.values, rest: () => column };
    },
  };
};

describe('columns of persons', () => {
  it('match the same persons as one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 20 }), test, async (persons, asked) => {
        const verdicts = (await matching(asked, rowsOf(persons), noPause)) ?? new Uint8Array(persons.length);
        expect([...verdicts].map(Boolean)).toEqual(persons.map((one, i) => matchesPerson(asked, 100 + i, one)));
      }),
    );
  });

  it('have each value once, and distinguish 5 from "5"', () => {
    const [column] = toColumns([{ n: 5 }, { n: '5' }, {}, { n: 5 }]);
    expect(column).toEqual({ name: 'n', values: '[5,"5"]', rows: null, places: Uint16Array.of(1, 2, 0, 1) });
  });

  it('list the rows of rare properties', () => {
    const persons = Array.from({ length: 9 }, (_, n): JsonObject => (n % 4 === 1 ? { rare: n } : {}));
    expect(toColumns(persons)).toEqual([
      { name: 'rare', values: '[1,5]', rows: Uint16Array.of(1, 5), places: Uint16Array.of(1, 2) },
    ]);
  });

  it('are skipped if the text of their values cannot match', async () => {
    let looks = 0;
    const fits = (given: Json | undefined): boolean => {
      if (given !== undefined) looks++;
      return given === 'Ada';
    };
    const ask = (part: string) =>
      matching({ kind: 'property', key: 'name', fits, part }, rowsOf([{ name: 'Ada' }, {}]), noPause);
    expect([await ask('bob'), looks]).toEqual([null, 0]);
    expect([await ask('ada'), looks]).toEqual([Uint8Array.of(1, 0), 1]);
  });
});
