import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keysByActor, placed, rowsByActor } from './actor-rows.ts';

/** Few actors with many rows, so that both ways of sorting are taken; many of one instant. */
const someRows = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(3, 40, 400), fc.boolean())
  .chain(([actors, rows, isNearlySorted]) =>
    fc
      .array(fc.tuple(fc.nat(actors - 1), fc.nat(60)), { minLength: 0, maxLength: rows, size: 'max' })
      .map((pairs) =>
        pairs.map(([actor, at], row) => ({ actor, at: isNearlySorted ? Math.floor(row / 3) * 20 + at : at })),
      ),
  );

const tableOf = (rows: readonly { actor: number; at: number }[]) => ({
  rows: rows.length,
  integers: () => Int32Array.from(rows, ({ actor }) => actor),
  doubles: () => Float64Array.from(rows, ({ at }) => at),
  texts: () => [],
  uuids: () => ({ textAt: () => '', compare: () => 0 }),
});

const listsOf = ({ actors, starts }: { actors: number; starts: Int32Array }, values: Int32Array | Float64Array) =>
  Array.from({ length: actors }, (_, own) => [...values.subarray(starts[own], starts[own + 1])]);

describe('rows by actor', () => {
  it('have the keys of each actor in order, and lose none', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const table = tableOf(rows);
        const sorted = keysByActor(table.integers(), table.doubles());
        const most = Math.max(-1, ...rows.map(({ actor }) => actor));
        const wanted = Array.from({ length: most + 1 }, (_, own) =>
          rows
            .filter(({ actor }) => actor === own)
            .map(({ at }) => at)
            .sort((a, b) => a - b),
        );
        expect(listsOf(sorted, sorted.keys)).toEqual(wanted);
      }),
    );
  });

  it('come in the order of time, and of one instant as it was said', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const latestRowFirst = (a: number, b: number): number => b - a;
        const sorted = rowsByActor(tableOf(rows), latestRowFirst);
        const wanted = rows
          .map(({ actor, at }, row) => ({ actor, at, row }))
          .sort((a, b) => a.actor - b.actor || a.at - b.at || b.row - a.row);
        expect([...sorted.rows]).toEqual(wanted.map(({ row }) => row));
        expect([...sorted.at]).toEqual(wanted.map(({ at }) => at));
        const rowNumbers = Int32Array.from(rows.keys());
        expect([...placed(sorted, rowNumbers)]).toEqual(wanted.map(({ row }) => row));
      }),
    );
  });
});
