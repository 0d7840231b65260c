import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidOf } from '../../../../test/contract/events.ts';
import { openWorldStore, type WorldStore } from '../../../../test/support/world-store.ts';
import { readFunnelQuestion } from '../funnel/rules/read-funnel.ts';
import { participantProperties } from './funnel-participants.ts';

let stores: WorldStore;
beforeAll(async () => {
  stores = await openWorldStore();
});
afterAll(() => stores.close());

it('properties of participants are no longer read when the query is cancelled', async () => {
  const funnel = readFunnelQuestion({ events: [{ id: 'a' }, { id: 'b' }] }, { now: 0, timezone: 'UTC' });
  const participants = Array.from({ length: 2500 }, (_, i) => ({
    actor: uuidOf(i),
    hasConverted: true,
    from: 0,
    until: 1,
  }));
  const caller = new AbortController();
  const deps = { ...stores.deps, clock: { now: () => 0 }, signal: caller.signal };
  let seen = 0;
  const look = async (): Promise<void> => {
    for await (const { properties } of participantProperties(deps, 1, funnel, participants)) {
      expect(properties).toEqual({});
      if (++seen === 1) caller.abort(new Error('gone'));
    }
  };
  await expect(look()).rejects.toThrow('gone');
  expect(seen).toBe(250);
});
