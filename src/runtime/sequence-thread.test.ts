import { afterEach, expect, it } from 'vitest';
import { readPathsQuestion } from '../features/insights/paths/rules/read-paths.ts';
import { sequenceMethods } from '../features/insights/sequence-methods.ts';
import { ALL_ACTORS } from '../features/insights/shared/actor-rows.ts';
import { countPacked, type PackedRows } from '../features/web-analytics/rules/count-packed.ts';
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
    { name: 'tick', size: 2 },
    { name: 'page', size: 5 },
  ]);
  const [tick, page] = [layout.place('tick'), layout.place('page')];
  const packed = (visitor: number, ticks: number, pages: number) => [
    visitor,
    (ticks << tick.shift) | (pages << page.shift),
  ];
  const rows = (): PackedRows => ({
    columns: [Int32Array.of(...packed(2, 0, 4), ...packed(0, 0, 4), ...packed(2, 1, 4), ...packed(1, 1, 0))],
    persons: { personOf: Int32Array.of(0, 1, 2), limit: 3 },
    filled: null,
    fields: [
      { place: tick, groups: { groupOf: null, size: 2 } },
      { place: page, groups: { groupOf: null, size: 5 } },
    ],
    summed: null,
  });
  const expected = await countPacked(rows(), async () => undefined);
  const given = rows();
  const found = await thread.methods()?.countPacked(leave(given, given.columns));
  expect(found).toEqual(expected);
  expect(found?.tables.map(({ visitors }) => [...visitors])).toEqual([
    [2, 2],
    [1, 0, 0, 0, 2],
  ]);
  expect([given.columns[0].length, given.persons.personOf.length]).toEqual([0, 3]);
});

it('rejects what it was doing when it ends', async () => {
  thread = new SequenceThread(new URL('./no-such-file.js', import.meta.url));
  await expect(thread.methods()?.countPaths(question, keys, ALL_ACTORS)).rejects.toThrow();
});
