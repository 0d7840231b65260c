import { afterEach, expect, it } from 'vitest';
import { readPathsQuestion } from '../features/insights/paths/rules/read-paths.ts';
import { sequenceMethods } from '../features/insights/sequence-methods.ts';
import { ALL_ACTORS } from '../features/insights/shared/actor-rows.ts';
import { columnsOf, countPacked, type PackedRows } from '../features/web-analytics/rules/count-packed.ts';
import { RowLayout } from '../features/web-analytics/rules/row-layout.ts';
import { leave } from '../lib/rpc.ts';
import { SequenceThread } from './sequence-thread.ts';

const question = readPathsQuestion({ date_from: '-30d' }, { now: Date.UTC(2024, 0, 20), timezone: 'UTC' });
const keys = {
  actor: Int32Array.of(0, 1, 0, 1),
  key: Float64Array.of(0, 1, 3, 2),
  uuids: { words: new BigUint64Array(8), high: 0 as const, mask: 0n },
  encoding: { base: 4, from: question.range.from },
  items: 3,
};

let thread: SequenceThread;
afterEach(() => thread.close());

it('counts the same on the other thread, again after it was closed', async () => {
  thread = new SequenceThread();
  const expected = await sequenceMethods.countPaths(question, keys, ALL_ACTORS);
  for (let round = 0; round < 2; round++) {
    expect(await thread.methods()?.countPaths(question, keys, ALL_ACTORS)).toEqual(expected);
    await thread.close();
  }
});

it('takes columns of rows without a copy, and counts the same', async () => {
  thread = new SequenceThread();
  const layout = new RowLayout([
    { name: 'visitor', size: 3, isTakenOut: true },
    { name: 'page', size: 5 },
    { name: 'tick', size: 2, isFilledIn: true },
  ]);
  const [tick, page] = [layout.place('tick'), layout.place('page')];
  const rows = (): PackedRows => ({
    words: [Int32Array.of(4 * 4 + 2, 4 * 4, 4 * 4 + 2, 1)],
    visitor: layout.place('visitor'),
    times: { times: Int32Array.of(10, 19, 20, 49), bounds: Int32Array.of(10, 20, 50), place: tick },
    sessions: { durations: Int32Array.of(1, 2001, 4000, 6000), bounceSeconds: 10 },
    persons: { personOf: Int32Array.of(0, 1, 2), limit: 3 },
    filled: null,
    fields: [
      { place: tick, groups: { groupOf: null, size: 2 } },
      { place: page, groups: { groupOf: null, size: 5 } },
    ],
  });
  const expected = await countPacked(rows(), async () => undefined);
  const given = rows();
  const found = await thread.methods()?.countPacked(leave(given, columnsOf(given)));
  expect(found).toEqual(expected);
  expect(found?.tables.map(({ visitors }) => [...visitors])).toEqual([
    [2, 2],
    [1, 0, 0, 0, 2],
  ]);
  expect(found?.tables.map(({ seconds }) => [...seconds])).toEqual([
    [1, 5],
    [3, 0, 0, 0, 3],
  ]);
  expect(columnsOf(given).map(({ length }) => length)).toEqual([0, 0, 0]);
  expect(given.persons.personOf.length).toBe(3);
});

it('rejects what it was doing when it ends', async () => {
  thread = new SequenceThread(new URL('./no-such-file.js', import.meta.url));
  await expect(thread.methods()?.countPaths(question, keys, ALL_ACTORS)).rejects.toThrow();
});
