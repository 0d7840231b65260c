import { expect, it } from 'vitest';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { ReadYourWrites } from './read-your-writes.ts';

const make = (timeoutMs = 5000) => {
  let processNowCalls = 0;
  const writes = new ReadYourWrites({ initialHead: 0, timeoutMs, processNow: () => void processNowCalls++ });
  return { writes, processNowCalls: () => processNowCalls };
};

it('resolves at once where nothing is pending', () => {
  const { writes, processNowCalls } = make();
  writes.add(1, 7, ['ada']);
  expect(writes.settled(7, ['bob'])).toBeUndefined();
  expect(writes.settled(8, ['ada'])).toBeUndefined();
  expect(processNowCalls()).toBe(0);
});

it('waits until the entry is processed, and tells the worker not to pause', async () => {
  const { writes, processNowCalls } = make();
  writes.add(1, 7, ['ada']);
  writes.add(2, 7, ['ada']);
  let isSettled = false;
  const settled = writes.settled(7, ['ada'])?.then(() => {
    isSettled = true;
  });
  expect(processNowCalls()).toBe(1);
  writes.onProcessed(progressAt(1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  writes.onProcessed(progressAt(2));
  await settled;
  expect([isSettled, writes.outdated]).toEqual([true, 0]);
  expect(writes.settled(7, ['ada'])).toBeUndefined();
});

it('times out, counts it, and does not wait for later entries', async () => {
  const { writes } = make(20);
  writes.add(1, 7, ['ada']);
  writes.add(2, 7, ['bob']);
  const start = performance.now();
  await writes.settled(7, ['ada']);
  expect(performance.now() - start).toBeGreaterThan(15);
  expect(writes.outdated).toBe(1);
  expect(writes.settled(7, ['bob'])).toBeUndefined();
  expect(writes.outdated).toBe(2);
  // Once the log has moved on, it is worth waiting again.
  writes.onProcessed(progressAt(1));
  expect(writes.settled(7, ['bob'])).toBeInstanceOf(Promise);
  writes.onProcessed(progressAt(2));
});
