import { expect, it } from 'vitest';
import { subjectMark } from './cut-request.ts';
import { ANYWHERE, PartitionedWrites } from './partitioned-writes.ts';

const make = (unread = new Map<number, number>()) => {
  const told = { hurries: 0 };
  const writes = new PartitionedWrites({ unread, partitions: 4, hurry: () => void told.hurries++, patienceMs: 50 });
  return { writes, told };
};

it('lets those wait whose changes are in some partition, until it is processed', async () => {
  const { writes, told } = make();
  writes.note([[2, 1, [subjectMark('ada')]]], new Map([[2, 7]]));
  expect(writes.settled(1, ['bo'])).toBeUndefined();
  expect(writes.settled(2, ['ada'])).toBeUndefined();
  const settled = writes.settled(1, ['bo', 'ada']);
  writes.processed([[2, 6]]);
  writes.processed([[1, 99]]);
  expect(writes.settled(1, ['ada'])).toBeInstanceOf(Promise);
  writes.processed([[2, 7]]);
  await settled;
  expect(writes.settled(1, ['ada'])).toBeUndefined();
  expect([told.hurries, writes.outdated]).toEqual([2, 0]);
});

it('waits for every partition that somebody has changes in', async () => {
  const { writes } = make();
  const marks = [subjectMark('ada')];
  writes.note(
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
  writes.processed([[3, 5]]);
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  writes.processed([[0, 1]]);
  await settled;
  expect(isSettled).toBe(true);
});

it('takes everybody for waiting where they were too many to be told, and at the start', () => {
  const crowded = make().writes;
  crowded.note([[1, 1, null]], new Map([[1, 3]]));
  expect(crowded.settled(1, ['anybody'])).toBeInstanceOf(Promise);
  expect(crowded.settled(2, ['anybody'])).toBeUndefined();
  crowded.note([[ANYWHERE, -1, null]], new Map([[0, 2]]));
  expect(crowded.settled(2, ['anybody'])).toBeInstanceOf(Promise);
  expect(make(new Map([[2, 9]])).writes.settled(5, ['anybody'])).toBeInstanceOf(Promise);
});

it('is not confused by notes that come out of order, or late', () => {
  const { writes } = make();
  writes.note([[0, 1, [subjectMark('ada')]]], new Map([[0, 10]]));
  writes.note([[0, 1, [subjectMark('bo')]]], new Map([[0, 5]]));
  writes.processed([[0, 6]]);
  expect(writes.settled(1, ['bo'])).toBeUndefined();
  expect(writes.settled(1, ['ada'])).toBeInstanceOf(Promise);
  writes.processed([[0, 10]]);
  writes.note([[0, 1, [subjectMark('ada')]]], new Map([[0, 9]]));
  expect(writes.settled(1, ['ada'])).toBeUndefined();
});
