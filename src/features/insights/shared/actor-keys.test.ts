import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someRows } from '../../../../test/support/some-rows.ts';
import { ActorKeys, fitsInKey } from './actor-keys.ts';

const ENCODING = { base: 4, from: 1000 };

/** Each actor's as [time, rest, row]; rows of one instant in the order given, or by the rest. */
const wantedOf = (rows: readonly { actor: number; at: number }[], isTied: boolean) => {
  const most = Math.max(-1, ...rows.map(({ actor }) => actor));
  const keyed = rows.map(({ actor, at }, row) => ({ actor, time: 1000 + Math.floor(at / 4), rest: at % 4, row }));
  return Array.from({ length: most + 1 }, (_, own) =>
    keyed
      .filter(({ actor }) => actor === own)
      .sort((a, b) => a.time - b.time || (isTied ? b.row - a.row : a.rest - b.rest))
      .map(({ time, rest }) => [time, rest]),
  );
};

const keysOf = (rows: readonly { actor: number; at: number }[], tieOrder: ((a: number, b: number) => number) | null) =>
  ActorKeys.group(
    Int32Array.from(rows, ({ actor }) => actor),
    Float64Array.from(rows, ({ at }) => at),
    ENCODING,
    { tieOrder: tieOrder, hasNames: true },
  );

const listsOf = (keys: ActorKeys) =>
  Array.from({ length: keys.actors }, (_, actor) => {
    const { count, at, rest } = keys.of(actor);
    return Array.from({ length: count }, (_, index) => [at[index], rest[index]]);
  });

describe('keys by actor', () => {
  it('come in order, unpacked and complete, however often they are read', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const keys = await keysOf(rows, null);
        expect(listsOf(keys)).toEqual(wantedOf(rows, false));
        expect(listsOf(keys)).toEqual(wantedOf(rows, false));
      }),
    );
  });

  it('have the given order at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const latestRowFirst = (a: number, b: number): number => b - a;
        expect(listsOf(await keysOf(rows, latestRowFirst))).toEqual(wantedOf(rows, true));
      }),
    );
  });

  it('know a row of their actor', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const keys = await keysOf(rows, null);
        for (const { actor } of rows) expect(rows[keys.anyRowOf(actor)]?.actor).toBe(actor);
      }),
    );
  });

  it('are exact as long as they fit', async () => {
    const range = { from: 0, until: 2 ** 33 };
    expect(fitsInKey(range, 2 ** 19)).toBe(true);
    expect(fitsInKey(range, 2 ** 20)).toBe(false);
    const latest = range.until - 1;
    const keys = await ActorKeys.group(
      Int32Array.of(0),
      Float64Array.of(latest * 2 ** 19 + 2 ** 19 - 1),
      { base: 2 ** 19, from: 0 },
      { tieOrder: null, hasNames: false },
    );
    const { at, rest } = keys.of(0);
    expect([at[0], rest[0]]).toEqual([latest, 2 ** 19 - 1]);
  });
});
