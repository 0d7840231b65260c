import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IngestChanges, IngestStore } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { uuidOf } from './events.ts';
import { newPersonChanges } from './person-changes.ts';

export interface MetadataSetup {
  metadata: MetadataStore;
  ingest: IngestStore;
  remove(): Promise<void>;
}

const ALL = { limit: 100, offset: 0 };

/** What every metadata store returns about events after the processor has written it. */
export function describeEventRecords(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`records about events: ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const write = (changes: Partial<IngestChanges>): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, ...changes, position: ++position }));

    const aLetter = (n: number, projectId = 1) => ({
      projectId,
      eventUuid: uuidOf(n),
      error: 'boom',
      payload: `{"n":${n}}`,
      context: '{}',
      receivedAt: 1000 + n,
      failedAt: 2000 + n,
    });

    it('pages through dead letters, newest first, and deletes one', async () => {
      await write({ deadLetters: [1, 2, 3].map((n) => aLetter(n)) });
      await write({ deadLetters: [aLetter(9, 2)] });
      const { deadLetters } = setup.metadata;
      const { count, items } = await deadLetters.list(1, { limit: 2, offset: 0 });
      expect([count, items.map((letter) => letter.payload)]).toEqual([3, ['{"n":3}', '{"n":2}']]);
      const [newest] = items;
      const id = newest?.id ?? 0;
      expect(newest).toEqual({ ...aLetter(3), id, requestEvents: null });
      expect(await deadLetters.get(1, id)).toEqual(newest);
      expect(await deadLetters.getByEvent(1, uuidOf(3))).toEqual(newest);
      expect(await deadLetters.get(2, id)).toBeNull();
      await deadLetters.delete(2, id);
      expect(await deadLetters.get(1, id)).toEqual(newest);
      await deadLetters.delete(1, id);
      expect(await deadLetters.get(1, id)).toBeNull();
      expect((await deadLetters.list(1, ALL)).count).toBe(2);
    });

    it('counts repetitions of an event, in its project only', async () => {
      const id = { projectId: 1, uuid: uuidOf(1) };
      await write({ seen: [{ ...id, receivedAt: 5, processedAt: 7 }] });
      expect(await setup.metadata.fates.getSeen(1, uuidOf(1))).toEqual({ receivedAt: 5, processedAt: 7, repeats: 0 });
      await write({ repeats: [id] });
      await write({ repeats: [id] });
      expect(await setup.metadata.fates.getSeen(1, uuidOf(1))).toEqual({ receivedAt: 5, processedAt: 7, repeats: 2 });
      expect(await setup.metadata.fates.getSeen(2, uuidOf(1))).toBeNull();
    });

    it('returns the latest reason for a drop, until it is deleted', async () => {
      const drop = (reason: string, droppedAt: number) => ({
        projectId: 1,
        uuid: uuidOf(1),
        reason,
        receivedAt: 5,
        droppedAt,
      });
      await write({ dropped: [drop('first', 10)] });
      await write({ dropped: [drop('second', 20)] });
      expect(await setup.metadata.fates.getDropped(1, uuidOf(1))).toEqual(drop('second', 20));
      expect(await setup.metadata.fates.getDropped(2, uuidOf(1))).toBeNull();
      const { fates } = setup.metadata;
      expect(await fates.listDropped(1, { limit: 1, offset: 0 })).toEqual({ count: 2, items: [drop('second', 20)] });
      expect((await fates.listDropped(1, { limit: 9, offset: 1 })).items).toEqual([drop('first', 10)]);
      expect(await fates.listDropped(2, { limit: 9, offset: 0 })).toEqual({ count: 0, items: [] });
      await setup.ingest.deleteBefore(21);
      expect(await setup.metadata.fates.getDropped(1, uuidOf(1))).toBeNull();
    });

    it('lists warnings newest first, and by type', async () => {
      const warn = (type: string, at: number, projectId = 1) => ({ projectId, type, details: '{}', at });
      await write({ warnings: [warn('a', 1), warn('b', 2), warn('a', 3), warn('a', 4, 2)] });
      const times = async (type?: string): Promise<number[]> =>
        (await setup.metadata.warnings.list(1, type, ALL)).items.map(({ at }) => at);
      expect(await times()).toEqual([3, 2, 1]);
      expect(await times('a')).toEqual([3, 1]);
      expect((await setup.metadata.warnings.list(1, 'a', { limit: 1, offset: 1 })).count).toBe(2);
    });

    it('says on which days there were warnings of a type, and when events failed', async () => {
      const DAY = 86_400_000;
      const warn = (type: string, at: number, projectId = 1) => ({ projectId, type, details: '{}', at });
      await write({ warnings: [warn('a', DAY + 5), warn('a', DAY + 9), warn('a', 3 * DAY), warn('b', DAY)] });
      await write({ warnings: [warn('a', DAY + 6, 2)], deadLetters: [aLetter(1), aLetter(2), aLetter(3, 2)] });
      const days = await setup.metadata.warnings.listDays(1, { from: DAY, until: 3 * DAY });
      expect(days.sort((one, other) => one.name.localeCompare(other.name))).toEqual([
        { name: 'a', first: DAY + 5, last: DAY + 9 },
        { name: 'b', first: DAY, last: DAY },
      ]);
      expect(await setup.metadata.warnings.listDays(1, { from: 3 * DAY, until: 9 * DAY })).toEqual([
        { name: 'a', first: 3 * DAY, last: 3 * DAY },
      ]);
      const { deadLetters } = setup.metadata;
      expect(await deadLetters.listTimes(1, { from: 2001, until: 2003 }, 10)).toEqual([2001, 2002]);
      expect(await deadLetters.listTimes(1, { from: 2001, until: 2003 }, 1)).toEqual([2001]);
      expect(await deadLetters.listTimes(1, { from: 2003, until: 9999 }, 1)).toEqual([]);
    });

    it('finds persons by uuid and id, and reads all of them in pages', async () => {
      await write({ persons: newPersonChanges(1, [uuidOf(1), uuidOf(2), uuidOf(3)]) });
      await write({ persons: newPersonChanges(2, [uuidOf(4)]) });
      const { eventPersons } = setup.metadata;
      expect(await eventPersons.listByUuids(1, [uuidOf(2), uuidOf(4), uuidOf(99)])).toEqual([
        {
          uuid: uuidOf(2),
          isIdentified: false,
          properties: { of: uuidOf(2) },
          firstDistinctId: `first ${uuidOf(2)}`,
        },
      ]);
      expect(await eventPersons.listByUuids(1, [])).toEqual([]);
      const [first, second] = await eventPersons.listAfter(1, 0, 2);
      expect([first?.uuid, second?.uuid]).toEqual([uuidOf(1), uuidOf(2)]);
      expect((await eventPersons.listAfter(1, second?.id ?? 0, 2)).map(({ uuid }) => uuid)).toEqual([uuidOf(3)]);
      expect(await eventPersons.getUuid(1, first?.id ?? 0)).toBe(uuidOf(1));
      expect(await eventPersons.getUuid(2, first?.id ?? 0)).toBeNull();
    });
  });
}
