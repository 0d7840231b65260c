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

/** A tail whose worker thread notes what it is told, or refuses. */
function aTail() {
  const told: number[][] = [];
  const worker = { isAway: false };
  const tail = new LiveEventSubscriptions(async (projectIds) => {
    if (worker.isAway) throw new Error('away');
    told.push(projectIds);
  });
  return { tail, told, worker };
}

it('tells the worker which projects are watched, and gives each watcher its events', async () => {
  const { tail, told } = aTail();
  const seen: number[] = [];
  const stop = await tail.subscribe(1, ({ projectId }) => seen.push(projectId));
  const stopOther = await tail.subscribe(2, () => undefined);
  tail.publish([anEvent(1), anEvent(2), anEvent(3)]);
  expect(seen).toEqual([1]);
  await stop();
  await stop();
  tail.publish([anEvent(1)]);
  expect(seen).toEqual([1]);
  await stopOther();
  expect(told).toEqual([[1], [1, 2], [2], [2], []]);
});

it('tells a new worker which projects are watched', async () => {
  const { tail, told } = aTail();
  await tail.subscribe(1, () => undefined);
  await tail.syncProjects();
  expect(told).toEqual([[1], [1]]);
});

it('keeps no watcher whose subscription failed', async () => {
  const { tail, told, worker } = aTail();
  worker.isAway = true;
  const seen: number[] = [];
  await expect(tail.subscribe(1, () => seen.push(1))).rejects.toThrow('away');
  worker.isAway = false;
  await tail.syncProjects();
  tail.publish([anEvent(1)]);
  expect([told, seen]).toEqual([[[]], []]);
});
