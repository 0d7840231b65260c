import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someRows } from '../../../../test/support/some-rows.ts';
import { reorderColumn, rowsByActor } from './actor-rows.ts';

const tableOf = (rows: readonly { actor: number; at: number }[]) => ({
  rowCount: rows.length,
  integers: () => Int32Array.from(rows, ({ actor }) => actor),
  doubles: () => Float64Array.from(rows, ({ at }) => at),
  texts: () => [],
  uuids: () => ({
    words: { words: new BigUint64Array(0), high: 0 as const, mask: 0n },
    textAt: () => '',
    compare: () => 0,
  }),
});

describe('rows by actor', () => {
  it('come in the order of time, and in the given order at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const latestRowFirst = (a: number, b: number): number => b - a;
        const sorted = await rowsByActor(tableOf(rows), latestRowFirst);
        const wanted = rows
          .map(({ actor, at }, row) => ({ actor, at, row }))
          .sort((a, b) => a.actor - b.actor || a.at - b.at || b.row - a.row);
        expect([...sorted.rows]).toEqual(wanted.map(({ row }) => row));
        expect([...sorted.at]).toEqual(wanted.map(({ at }) => at));
        const rowNumbers = Int32Array.from(rows.keys());
        expect([...(await reorderColumn(sorted, rowNumbers))]).toEqual(wanted.map(({ row }) => row));
      }),
    );
  });
});
