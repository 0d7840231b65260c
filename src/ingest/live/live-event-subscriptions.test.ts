import { expect, it } from 'vitest';
import type { LiveEvent } from './live-event-publisher.ts';
import { LiveEventSubscriptions } from './live-event-subscriptions.ts';

const anEvent = (projectId: number): LiveEvent => ({
  projectId,
  uuid: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  event: 'ping',
  distinctId: 'ada',
  personId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c',
  timestamp: 0,
  properties: '{}',
});

/** Subscriptions whose worker thread records the projects it gets, or fails. */
function makeSubscriptions() {
  const sent: number[][] = [];
  const worker = { isDown: false };
  const subscriptions = new LiveEventSubscriptions(async (projectIds) => {
    if (worker.isDown) throw new Error('down');
    sent.push(projectIds);
  });
  return { subscriptions, sent, worker };
}

it('sends the worker which projects are watched, and gives each subscriber its events', async () => {
  const { subscriptions, sent } = makeSubscriptions();
  const seen: number[] = [];
  const stop = await subscriptions.subscribe(1, ({ projectId }) => seen.push(projectId));
  const stopOther = await subscriptions.subscribe(2, () => undefined);
  subscriptions.publish([anEvent(1), anEvent(2), anEvent(3)]);
  expect(seen).toEqual([1]);
  await stop();
  await stop();
  subscriptions.publish([anEvent(1)]);
  expect(seen).toEqual([1]);
  await stopOther();
  expect(sent).toEqual([[1], [1, 2], [2], [2], []]);
});

it('sends a new worker which projects are watched', async () => {
  const { subscriptions, sent } = makeSubscriptions();
  await subscriptions.subscribe(1, () => undefined);
  await subscriptions.syncProjects();
  expect(sent).toEqual([[1], [1]]);
});

it('removes a subscriber whose subscription failed', async () => {
  const { subscriptions, sent, worker } = makeSubscriptions();
  worker.isDown = true;
  const seen: number[] = [];
  await expect(subscriptions.subscribe(1, () => seen.push(1))).rejects.toThrow('down');
  worker.isDown = false;
  await subscriptions.syncProjects();
  subscriptions.publish([anEvent(1)]);
  expect([sent, seen]).toEqual([[[]], []]);
});
