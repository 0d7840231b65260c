import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keysByActor, placed, rowsByActor } from './actor-rows.ts';

/**
 * Few actors with many rows, so that every way of sorting is taken; many of one instant. They come nearly in order, or
 * as several threads would have them, or in none.
 */
const someRows = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(3, 40, 400), fc.constantFrom('nearly', 'threads', 'none'))
  .chain(([actors, rows, order]) =>
    fc
      .array(fc.tuple(fc.nat(actors - 1), fc.nat(60), fc.nat(3)), { minLength: 0, maxLength: rows, size: 'max' })
      .map((drawn) => {
        if (order === 'threads')
          drawn.sort(([, at, thread], [, other, otherThread]) => thread - otherThread || at - other);
        return drawn.map(([actor, at], row) => ({
          actor,
          at: order === 'nearly' ? Math.floor(row / 3) * 20 + at : at,
        }));
      }),
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
  it('have the keys of each actor in order, in their two parts, and lose none', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const table = tableOf(rows);
        const sorted = keysByActor(table.integers(), table.doubles(), { base: 4, from: 1000 });
        const most = Math.max(-1, ...rows.map(({ actor }) => actor));
        const keys = Array.from({ length: most + 1 }, (_, own) =>
          rows
            .filter(({ actor }) => actor === own)
            .map(({ at }) => at)
            .sort((a, b) => a - b),
        );
        const times = keys.map((own) => own.map((key) => 1000 + Math.floor(key / 4)));
        expect(listsOf(sorted, sorted.at)).toEqual(times);
        expect(listsOf(sorted, sorted.rest)).toEqual(keys.map((own) => own.map((key) => key % 4)));
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
