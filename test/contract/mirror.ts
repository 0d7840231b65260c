import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/stores/events/event-store.ts';
import { MIRROR_START, type MirrorBatch } from '../../src/stores/events/person-mirror.ts';
import type { EventStoreSetup } from './event-store.ts';
import { anEvent, uuidOf } from './events.ts';

const [ada, bob, cyd] = [uuidOf(1), uuidOf(2), uuidOf(3)];

const person = (uuid: string, properties: object = {}) => ({
  uuid,
  createdAt: 1_700_000_000_123,
  properties: JSON.stringify(properties),
});

/** How every event store keeps its copy of persons. */
export function describeMirror(name: string, makeSetup: () => EventStoreSetup): void {
  describe(`mirror of persons: ${name}`, () => {
    let setup: EventStoreSetup;
    let store: EventStore;
    let change: number;
    beforeEach(async () => {
      setup = makeSetup();
      store = await setup.openStore();
      change = 0;
    });
    afterEach(async () => {
      await store.close();
      await setup.remove();
    });

    const write = (slice: Partial<MirrorBatch>): Promise<void> =>
      store.mirrorPersons({ projectId: 1, removed: [], persons: [], position: { change: ++change, id: 7 }, ...slice });

    const copied = async (of = store): Promise<string[]> => {
      const rows = await of.query('select * from person_rows order by project_id, person_id', []);
      return rows.map((row) => Object.values(row).join(' '));
    };
    const line = (uuid: string, properties: string, projectId = 1): string =>
      `${projectId} ${uuid} 1700000000123 ${properties}`;

    it('starts empty', async () => {
      expect([await store.mirrorPosition(1), await store.listMirroredProjects(), await copied()]).toEqual([
        MIRROR_START,
        [],
        [],
      ]);
    });

    it('replaces known persons and removes deleted ones, in one project only', async () => {
      await write({ persons: [person(ada, { a: 1 }), person(bob)] });
      await write({ projectId: 2, persons: [person(ada, { in: 2 }), person(bob)] });
      await write({ persons: [person(ada, { a: '\ud800' }), person(cyd)], removed: [bob, cyd] });
      expect(await copied()).toEqual([
        line(ada, '{"a":"\\ufffd"}'),
        line(cyd, '{}'),
        line(ada, '{"in":2}', 2),
        line(bob, '{}', 2),
      ]);
      expect(await store.mirrorPosition(1)).toEqual({ change: 3, id: 7 });
      expect(await store.mirrorPosition(2)).toEqual({ change: 2, id: 7 });
      expect(await store.listMirroredProjects()).toEqual([1, 2]);
      await store.deleteMirror(1);
      expect(await copied()).toEqual([line(ada, '{"in":2}', 2), line(bob, '{}', 2)]);
      expect(await store.mirrorPosition(1)).toEqual(MIRROR_START);
    });

    it('is the same after the same batch twice, a large position, and a power cut', async () => {
      const persons = Array.from({ length: 5000 }, (_, n) => person(uuidOf(n), { n }));
      const position = { change: 9, id: Number.MAX_SAFE_INTEGER };
      await write({ persons, position });
      await write({ persons, position });
      const cut = setup.copy();
      const again = await cut.openStore();
      expect(await copied(again)).toHaveLength(5000);
      expect(await again.mirrorPosition(1)).toEqual(position);
      await again.close();
      await cut.remove();
    });

    it('deletes a person that is deleted with its events, and those merged into it', async () => {
      await write({ persons: [person(ada), person(bob), person(cyd)] });
      await write({ projectId: 2, persons: [person(ada)] });
      const overrides = [{ projectId: 1, from: bob, to: ada }];
      await store.write({ events: [anEvent({ personId: bob })], overrides, position: 1 });
      await store.reassign([{ id: 1, projectId: 1, personId: ada, kind: 'remove', distinctIds: [] }]);
      await store.purge();
      expect(await copied()).toEqual([line(cyd, '{}'), line(ada, '{}', 2)]);
      expect(await store.mirrorPosition(1)).toEqual({ change: 1, id: 7 });
    });
  });
}
