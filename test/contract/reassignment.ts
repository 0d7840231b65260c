import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, PersonOverride, StoredEvent } from '../../src/stores/events/event-store.ts';
import type { DistinctIdMove, Reassignment } from '../../src/stores/events/reassignment.ts';
import type { EventStoreSetup } from './event-store.ts';
import { anEvent, uuidOf } from './events.ts';

const [ada, bob, cyd, dot] = [uuidOf(1), uuidOf(2), uuidOf(3), uuidOf(4)];

/** How every event store follows changes to who is who, and how it forgets. */
export function describeReassignment(name: string, makeSetup: () => EventStoreSetup): void {
  describe(`reassignment: ${name}`, () => {
    let setup: EventStoreSetup;
    let store: EventStore;
    let position: number;
    let orders: number;
    beforeEach(async () => {
      setup = makeSetup();
      store = await setup.openStore();
      position = 0;
      orders = 0;
    });
    afterEach(async () => {
      await store.close();
      await setup.remove();
    });

    const write = (events: StoredEvent[], overrides: PersonOverride[] = []): Promise<void> =>
      store.write({ events, overrides, position: ++position });

    const of = (personId: string, distinctId: string, projectId = 1): StoredEvent =>
      anEvent({ projectId, personId, distinctId });

    const move = (personId: string, moves: DistinctIdMove[], projectId = 1): Reassignment => ({
      id: ++orders,
      projectId,
      personId,
      kind: 'move',
      moves,
    });
    const remove = (personId: string, distinctIds: string[] = []): Reassignment => ({
      id: ++orders,
      projectId: 1,
      personId,
      kind: 'remove',
      distinctIds,
    });

    const owners = async (of = store): Promise<string[]> => {
      const rows = await of.query(
        'select project_id, distinct_id, person_id, count(*) as n from events group by all order by all',
        [],
      );
      return rows.map((row) => Object.values(row).join(' '));
    };

    it('moves the events of distinct ids, of one person in one project only', async () => {
      await write([of(ada, 'x'), of(ada, 'x'), of(ada, 'y'), of(dot, 'x'), of(ada, 'x', 2)]);
      const done = await store.reassign([
        move(ada, [
          { distinctId: 'x', to: bob },
          { distinctId: 'z', to: cyd },
        ]),
      ]);
      expect(done).toEqual([{ id: 1, events: 2 }]);
      expect(await owners()).toEqual([`1 x ${bob} 2`, `1 x ${dot} 1`, `1 y ${ada} 1`, `2 x ${ada} 1`]);
    });

    it('moves events back through overrides, and ends the override of their new owner', async () => {
      await write([of(cyd, 'c'), of(bob, 'b'), of(ada, 'a')]);
      await write([], [{ projectId: 1, from: cyd, to: bob }]);
      await write([of(ada, 'b')], [{ projectId: 1, from: bob, to: ada }]);
      expect(await owners()).toEqual([`1 a ${ada} 1`, `1 b ${ada} 2`, `1 c ${ada} 1`]);
      await store.reassign([
        move(
          ada,
          ['b', 'c'].map((distinctId) => ({ distinctId, to: bob })),
        ),
      ]);
      await write([of(bob, 'b')]);
      expect(await owners()).toEqual([`1 a ${ada} 1`, `1 b ${bob} 3`, `1 c ${bob} 1`]);
      await store.reassign([move(bob, [{ distinctId: 'c', to: cyd }])]);
      expect(await owners()).toEqual([`1 a ${ada} 1`, `1 b ${bob} 3`, `1 c ${cyd} 1`]);
      await write([], [{ projectId: 1, from: cyd, to: ada }]);
      expect(await owners()).toEqual([`1 a ${ada} 1`, `1 b ${bob} 3`, `1 c ${ada} 1`]);
    });

    it('deletes all events of a person, under any uuid, and those of the given ids', async () => {
      await write([of(bob, 'b'), of(ada, 'a'), of(dot, 'a'), of(cyd, 'c'), of(ada, 'a', 2)]);
      await write([], [{ projectId: 1, from: bob, to: ada }]);
      expect(await store.reassign([remove(ada, ['a'])])).toEqual([{ id: 1, events: 3 }]);
      expect(await owners()).toEqual([`1 c ${cyd} 1`, `2 a ${ada} 1`]);
      await write([of(bob, 'b')]);
      expect(await owners()).toContain(`1 b ${bob} 1`);
    });

    it('applies a reassignment once, and returns its result every time', async () => {
      await write([of(ada, 'x')]);
      const order = remove(ada, ['x']);
      expect(await store.reassign([order])).toEqual([{ id: 1, events: 1 }]);
      await write([of(bob, 'x')]);
      expect(await store.reassign([order])).toEqual([{ id: 1, events: 1 }]);
      await store.close();
      store = await setup.openStore();
      expect(await store.reassign([order])).toEqual([{ id: 1, events: 1 }]);
      expect(await owners()).toEqual([`1 x ${bob} 1`]);
      expect(await store.reassign([])).toEqual([]);
    });

    it('keeps an applied reassignment after a power cut', async () => {
      await write([of(ada, 'x'), of(ada, 'y')]);
      await store.reassign([move(ada, [{ distinctId: 'x', to: bob }])]);
      const copy = setup.copy();
      const after = await copy.openStore();
      expect(await owners(after)).toEqual([`1 x ${bob} 1`, `1 y ${ada} 1`]);
      await after.close();
      await copy.remove();
    });

    it('moves many ids at once', async () => {
      const ids = Array.from({ length: 20_000 }, (_, n) => `id ${n}`);
      await write(ids.map((id) => of(ada, id)));
      const done = await store.reassign([
        move(
          ada,
          ids.map((distinctId, n) => ({ distinctId, to: uuidOf(n + 10) })),
        ),
      ]);
      expect(done).toEqual([{ id: 1, events: 20_000 }]);
      const [row] = await store.query('select count(distinct person_id) as n from events', []);
      expect(row).toEqual({ n: 20_000 });
    });

    it('is the same after a purge: events, overrides and positions', async () => {
      await write([of(ada, 'a'), of(bob, 'b')], [{ projectId: 1, from: cyd, to: ada }]);
      await write([of(cyd, 'c')]);
      await store.reassign([remove(bob)]);
      const before = await owners();
      await store.purge();
      expect(await owners()).toEqual(before);
      expect([await store.position(), before.length]).toEqual([2, 2]);
      await write([of(dot, 'd')]);
      await store.close();
      store = await setup.openStore();
      expect(await owners()).toEqual([...before, `1 d ${dot} 1`]);
      expect(await store.position()).toBe(3);
      expect(await store.reassign([{ ...remove(ada), id: 1 }])).toEqual([{ id: 1, events: 1 }]);
    });

    it('runs queries during a purge, and queues writes', async () => {
      await write(Array.from({ length: 5000 }, () => of(ada, 'a')));
      const scrubbing = store.purge();
      const asked = Array.from({ length: 20 }, async () => (await owners())[0]);
      const written = write([of(ada, 'a')]);
      expect(new Set(await Promise.all(asked))).toEqual(new Set([`1 a ${ada} 5000`]));
      await Promise.all([scrubbing, written]);
      expect(await owners()).toEqual([`1 a ${ada} 5001`]);
    });
  });
}
