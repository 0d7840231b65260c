import { expect, it } from 'vitest';
import { ReadYourWrites } from './read-your-writes.ts';

const make = (patienceMs = 5000) => {
  let hurried = 0;
  const writes = new ReadYourWrites({ unread: 0, patienceMs, hurry: () => void hurried++ });
  return { writes, hurried: () => hurried };
};

it('waits for nothing where nothing is under way', () => {
  const { writes, hurried } = make();
  writes.note(1, 7, ['ada']);
  expect(writes.settled(7, ['bob'])).toBeUndefined();
  expect(writes.settled(8, ['ada'])).toBeUndefined();
  expect(hurried()).toBe(0);
});

it('waits until the entry is processed, and hurries the worker', async () => {
  const { writes, hurried } = make();
  writes.note(1, 7, ['ada']);
  writes.note(2, 7, ['ada']);
  let isSettled = false;
  const settled = writes.settled(7, ['ada'])?.then(() => {
    isSettled = true;
  });
  expect(hurried()).toBe(1);
  writes.processed(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  writes.processed(2);
  await settled;
  expect([isSettled, writes.outdated]).toEqual([true, 0]);
  expect(writes.settled(7, ['ada'])).toBeUndefined();
});

it('gives up after a while, counts it, and lets those behind not even begin', async () => {
  const { writes } = make(20);
  writes.note(1, 7, ['ada']);
  writes.note(2, 7, ['bob']);
  const start = performance.now();
  await writes.settled(7, ['ada']);
  expect(performance.now() - start).toBeGreaterThan(15);
  expect(writes.outdated).toBe(1);
  expect(writes.settled(7, ['bob'])).toBeUndefined();
  expect(writes.outdated).toBe(2);
  // Once the log has moved on, it is worth waiting again.
  writes.processed(1);
  expect(writes.settled(7, ['bob'])).toBeInstanceOf(Promise);
  writes.processed(2);
});
