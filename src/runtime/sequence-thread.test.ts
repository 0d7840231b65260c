import { afterEach, expect, it } from 'vitest';
import { readPathsQuestion } from '../features/insights/paths/rules/read-paths.ts';
import { sequenceMethods } from '../features/insights/sequence-methods.ts';
import { ALL_ACTORS } from '../features/insights/shared/actor-rows.ts';
import { countViews } from '../features/web-analytics/rules/count-views.ts';
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

it('takes columns of views without a copy, and counts the same', async () => {
  thread = new SequenceThread();
  const columns = () => ({
    persons: Int32Array.of(2, 0, 2, 1),
    limit: 3,
    ticks: Int32Array.of(0, 0, 1, 1),
    pages: Int32Array.of(4, 4, 4, 0),
  });
  const expected = await countViews(columns(), async () => undefined);
  const given = columns();
  const found = await thread.methods()?.countViews(leave(given, [given.persons, given.pages]));
  expect(found).toEqual(expected);
  expect([...(found?.pages?.ends ?? [])]).toEqual([1, 1, 1, 1, 3]);
  expect([given.persons.length, given.ticks.length, given.pages.length]).toEqual([0, 4, 0]);
});

it('rejects what it was doing when it ends', async () => {
  thread = new SequenceThread(new URL('./no-such-file.js', import.meta.url));
  await expect(thread.methods()?.countPaths(question, keys, ALL_ACTORS)).rejects.toThrow();
});
