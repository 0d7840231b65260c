import { describe, expect, it } from 'vitest';
import type { ChangedSubjects } from '../../stores/cluster/node-messages.ts';
import { ALL_PARTITIONS, PartitionedReadYourWrites } from './partitioned-read-your-writes.ts';
import { subjectHash } from './split-by-partition.ts';

const make = (unread = new Map<number, number>()) => {
  const calls = { processNow: 0 };
  const writes = new PartitionedReadYourWrites({
    initialHeads: unread,
    partitions: 4,
    processNow: () => void calls.processNow++,
    timeoutMs: 50,
  });
  return { writes, calls };
};

it('waits for a partition with changes of the subject until it is processed', async () => {
  const { writes, calls } = make();
  writes.add([[2, 1, [subjectHash('ada')]]], new Map([[2, 7]]));
  expect(writes.settled(1, ['bo'])).toBeUndefined();
  expect(writes.settled(2, ['ada'])).toBeUndefined();
  const settled = writes.settled(1, ['bo', 'ada']);
  writes.onProcessed([[2, 6]]);
  writes.onProcessed([[1, 99]]);
  expect(writes.settled(1, ['ada'])).toBeInstanceOf(Promise);
  writes.onProcessed([[2, 7]]);
  await settled;
  expect(writes.settled(1, ['ada'])).toBeUndefined();
  expect([calls.processNow, writes.outdated]).toEqual([2, 0]);
});

it('waits for every partition with changes of the subject', async () => {
  const { writes } = make();
  const marks = [subjectHash('ada')];
  writes.add(
    [
      [0, 1, marks],
      [3, 1, marks],
    ],
    new Map([
      [0, 1],
      [3, 5],
    ]),
  );
  let isSettled = false;
  const settled = writes.settled(1, ['ada'])?.then(() => {
    isSettled = true;
  });
  writes.onProcessed([[3, 5]]);
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  writes.onProcessed([[0, 1]]);
  await settled;
  expect(isSettled).toBe(true);
});

it('treats all subjects as pending where there are too many for a message, and at the start', () => {
  const crowded = make().writes;
  crowded.add([[1, 1, null]], new Map([[1, 3]]));
  expect(crowded.settled(1, ['anybody'])).toBeInstanceOf(Promise);
  expect(crowded.settled(2, ['anybody'])).toBeUndefined();
  crowded.add([[ALL_PARTITIONS, -1, null]], new Map([[0, 2]]));
  expect(crowded.settled(2, ['anybody'])).toBeInstanceOf(Promise);
  expect(make(new Map([[2, 9]])).writes.settled(5, ['anybody'])).toBeInstanceOf(Promise);
});

it('handles changes that arrive late or out of order', () => {
  const { writes } = make();
  writes.add([[0, 1, [subjectHash('ada')]]], new Map([[0, 10]]));
  writes.add([[0, 1, [subjectHash('bo')]]], new Map([[0, 5]]));
  writes.onProcessed([[0, 6]]);
  expect(writes.settled(1, ['bo'])).toBeUndefined();
  expect(writes.settled(1, ['ada'])).toBeInstanceOf(Promise);
  writes.onProcessed([[0, 10]]);
  writes.add([[0, 1, [subjectHash('ada')]]], new Map([[0, 9]]));
  expect(writes.settled(1, ['ada'])).toBeUndefined();
});

describe('merged subjects', () => {
  const [anon, grace, g] = ['anon', 'grace', 'g'].map(subjectHash) as [string, string, string];

  it('wait for what either of them has in another partition, also when the merge is processed first', async () => {
    const { writes } = make();
    writes.add([[0, 1, [anon]]], new Map([[0, 4]]));
    writes.add([[3, 1, [grace, anon], [[grace, anon]]]], new Map([[3, 8]]));
    writes.onProcessed([[3, 8]]);
    const settled = writes.settled(1, ['grace']);
    expect(settled).toBeInstanceOf(Promise);
    expect(writes.settled(2, ['grace'])).toBeUndefined();
    writes.onProcessed([[0, 4]]);
    await settled;
    expect([writes.settled(1, ['grace']), writes.settled(1, ['anon'])]).toEqual([undefined, undefined]);
  });

  it.each([
    [
      'in one request, whatever comes first',
      [
        [2, 1, [g, grace], [[g, grace]]],
        [3, 1, [grace, anon], [[grace, anon]]],
        [0, 1, [anon]],
      ],
    ],
    [
      'in their order',
      [
        [0, 1, [anon]],
        [3, 1, [grace, anon], [[grace, anon]]],
        [2, 1, [g, grace], [[g, grace]]],
      ],
    ],
  ] as [string, ChangedSubjects[]][])('are followed through a chain of merges, %s', (_, notes) => {
    const { writes } = make();
    const heads = new Map([
      [0, 4],
      [2, 5],
      [3, 6],
    ]);
    writes.add(notes, heads);
    writes.onProcessed([
      [2, 5],
      [3, 6],
    ]);
    expect(writes.settled(1, ['g'])).toBeInstanceOf(Promise);
    writes.onProcessed([[0, 4]]);
    expect(writes.settled(1, ['g'])).toBeUndefined();
  });

  it('keep what each waits for', () => {
    const { writes } = make();
    writes.add([[0, 1, [grace]]], new Map([[0, 9]]));
    writes.add([[0, 1, [anon]]], new Map([[0, 4]]));
    writes.add([[3, 1, [grace, anon], [[grace, anon]]]], new Map([[3, 8]]));
    writes.onProcessed([
      [3, 8],
      [0, 4],
    ]);
    expect(writes.settled(1, ['grace'])).toBeInstanceOf(Promise);
    expect(writes.settled(1, ['anon'])).toBeInstanceOf(Promise);
    writes.onProcessed([[0, 9]]);
    expect(writes.settled(1, ['anon', 'grace'])).toBeUndefined();
  });
});
