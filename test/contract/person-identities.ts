import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/persons/person.ts';
import type { PersonOp } from '../../src/core/persons/person-changes.ts';
import { MIRROR_START } from '../../src/stores/events/person-mirror.ts';
import type { IngestChanges } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { DeletionStore } from '../../src/stores/metadata/deletions.ts';
import type { PersonIdentityStore } from '../../src/stores/metadata/person-identities.ts';
import type { PersonStore } from '../../src/stores/metadata/persons.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';
import { newPersonChanges } from './person-changes.ts';

const ALL = { limit: 100, offset: 0 };
const [ada, bob, cyd] = [uuidOf(1), uuidOf(2), uuidOf(3)];

const aPerson = (uuid: string, over: Partial<Person> = {}): Person => ({
  projectId: 1,
  uuid,
  createdAt: 1,
  properties: { of: uuid },
  isIdentified: false,
  version: 0,
  ...over,
});

/** How every metadata store keeps what people change about persons, and forgets whom it must. */
export function describePersonIdentities(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`person identities: ${name}`, () => {
    let setup: MetadataSetup;
    let identities: PersonIdentityStore;
    let deletions: DeletionStore;
    let position: number;
    beforeEach(async () => {
      setup = await open();
      ({ personIdentities: identities, deletions } = setup.metadata);
      position = 0;
      await write({ persons: newPersonChanges(1, [ada, bob, cyd]) });
      await write({ persons: newPersonChanges(2, [uuidOf(9)]) });
    });
    afterEach(() => setup.remove());

    const write = (changes: Partial<IngestChanges>): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, ...changes, position: ++position }));

    const merge = (source: string, target: string, at = 5): Promise<void> => {
      const op: PersonOp = {
        op: 'merge',
        projectId: 1,
        kind: 'identify',
        source: aPerson(source),
        target: aPerson(target),
        targetUuid: target,
        at,
        eventUuid: uuidOf(0xe0),
      };
      const overrides = [{ projectId: 1, from: source, to: target }];
      return write({ persons: { persons: [], ops: [op], history: [], overrides } });
    };

    const find: PersonStore['get'] = (projectId, ref) => setup.metadata.persons.get(projectId, ref);
    const idsOf = async (uuid: string): Promise<string[]> => {
      const person = await find(1, { uuid: uuid });
      return person ? identities.listDistinctIds(person.id) : [];
    };

    it('returns the log position', async () => {
      expect(await identities.progress()).toEqual({ position: 2, ahead: new Map() });
    });

    it('lists all or some ids of a person', async () => {
      const found = await find(1, { uuid: bob });
      expect(await idsOf(bob)).toEqual([`first ${bob}`, `second ${bob}`]);
      expect(await identities.listDistinctIds(found?.id ?? 0, [`second ${bob}`, 'else'])).toEqual([`second ${bob}`]);
    });

    it('creates persons, with or without an old id, and moves distinct ids to them', async () => {
      const added = [uuidOf(20), uuidOf(21)];
      await identities.create([
        { ...aPerson(added[0] ?? ''), id: 777 },
        { ...aPerson(added[1] ?? ''), id: null },
      ]);
      expect((await find(1, { id: 777 }))?.uuid).toBe(added[0]);
      await identities.moveDistinctIds(1, [
        { distinctId: `first ${ada}`, to: added[0] ?? '' },
        { distinctId: `second ${ada}`, to: added[1] ?? '' },
        { distinctId: 'of nobody', to: bob },
      ]);
      expect(await Promise.all([ada, ...added].map(idsOf))).toEqual([[], [`first ${ada}`], [`second ${ada}`]]);
      await identities.update(aPerson(bob, { properties: { a: 1 }, isIdentified: true, version: 4, createdAt: 9 }));
      expect(await find(1, { uuid: bob })).toMatchObject({ properties: { a: 1 }, isIdentified: true, version: 4 });
      expect(await find(1, { uuid: cyd })).toMatchObject(aPerson(cyd));
    });

    it('lists persons changed after a position in batches, and removed ones', async () => {
      const start = await setup.ingest.listChangedPersons(1, MIRROR_START, 2);
      expect(start.persons).toEqual([ada, bob].map((uuid) => ({ uuid, createdAt: 1, properties: `{"of":"${uuid}"}` })));
      const rest = await setup.ingest.listChangedPersons(1, start.position, 2);
      expect([rest.removed, rest.persons.map(({ uuid }) => uuid)]).toEqual([[], [cyd]]);
      const changed = async (after = rest.position): Promise<string[][]> => {
        const { removed, persons } = await setup.ingest.listChangedPersons(1, after, 100);
        return [[...removed].sort(), persons.map(({ uuid }) => uuid)];
      };
      expect(await changed()).toEqual([[], []]);
      await identities.update(aPerson(bob, { version: 1 }));
      await identities.create([{ ...aPerson(uuidOf(20)), id: null }]);
      await merge(cyd, ada);
      expect(await changed()).toEqual([[cyd], [bob, uuidOf(20)]]);
      const person = await find(1, { uuid: bob });
      if (person) await setup.metadata.persons.update({ person, history: [], properties: [] });
      expect(await changed()).toEqual([[cyd], [uuidOf(20), bob]]);
      if (person) await identities.delete(person, await identities.getMergedPersons(1, bob));
      expect(await changed()).toEqual([[bob, cyd], [uuidOf(20)]]);
      await identities.reviveUuid(cyd);
      await identities.create([{ ...aPerson(cyd), id: null }]);
      expect(await changed(MIRROR_START)).toEqual([[bob], [ada, uuidOf(20), cyd]]);
      expect(await changed((await setup.ingest.listChangedPersons(1, rest.position, 100)).position)).toEqual([[], []]);
    });

    it('keeps reassignments in order until they are completed', async () => {
      await identities.queueReassignment({
        projectId: 1,
        personId: ada,
        kind: 'move',
        moves: [{ distinctId: 'x', to: bob }],
      });
      await identities.queueReassignment({ projectId: 1, personId: bob, kind: 'remove', distinctIds: ['y'] });
      const [first, second] = await setup.ingest.pendingReassignments();
      expect(first).toMatchObject({ personId: ada, kind: 'move', moves: [{ distinctId: 'x', to: bob }] });
      expect(second).toMatchObject({ personId: bob, kind: 'remove', distinctIds: ['y'] });
      expect(second?.id).toBeGreaterThan(first?.id ?? 0);
      await setup.ingest.transaction((store) => store.completeReassignments([{ id: first?.id ?? 0, events: 3 }]));
      expect(await setup.ingest.pendingReassignments()).toEqual([second]);
      await setup.ingest.transaction((store) => store.completeReassignments([{ id: second?.id ?? 0, events: 0 }]));
      await identities.queueReassignment({ projectId: 1, personId: cyd, kind: 'remove', distinctIds: [] });
      expect((await setup.ingest.pendingReassignments())[0]?.id).toBeGreaterThan(second?.id ?? 0);
    });

    it('lists merges of a person and of those merged into it, newest first', async () => {
      const before = await find(1, { uuid: cyd });
      await merge(cyd, bob);
      await merge(bob, ada);
      const { count, items } = await identities.listMerges(1, ada, ALL);
      expect([count, items.map(({ source, target }) => [source.uuid, target.uuid])]).toEqual([
        2,
        [
          [bob, ada],
          [cyd, bob],
        ],
      ]);
      const [newest, oldest] = items;
      expect(newest?.movedIds).toEqual([bob, cyd].flatMap((uuid) => [`first ${uuid}`, `second ${uuid}`]));
      expect(oldest).toMatchObject({ sourceId: before?.id, undoneAt: null, at: 5, kind: 'identify' });
      expect((await identities.listMerges(1, ada, { limit: 1, offset: 1 })).items).toEqual([oldest]);
      expect(await identities.getMerge(1, newest?.id ?? 0)).toEqual(newest);
      expect(await identities.getMerge(2, newest?.id ?? 0)).toBeNull();
      expect(await identities.getMergeBySource(1, cyd)).toEqual(oldest);
      expect(await identities.listMergesInto(1, ada)).toEqual([newest]);
      expect(await identities.getMergedPersons(1, ada)).toEqual({
        uuids: [ada, bob, cyd],
        ids: [newest?.sourceId, oldest?.sourceId],
      });
    });

    it('leaves undone merges out of everything but the list, and takes corrections', async () => {
      await merge(bob, ada);
      const [made] = await identities.listMergesInto(1, ada);
      await identities.updateMergeTarget(made?.id ?? 0, aPerson(ada, { properties: { b: 2 } }));
      expect((await identities.getMerge(1, made?.id ?? 0))?.target.properties).toEqual({ b: 2 });
      await identities.markMergeUndone(made?.id ?? 0, 99);
      expect((await identities.listMerges(1, ada, ALL)).items).toMatchObject([{ undoneAt: 99 }]);
      expect((await identities.listMerges(1, bob, ALL)).count).toBe(1);
      expect([await identities.getMergeBySource(1, bob), await identities.listMergesInto(1, ada)]).toEqual([null, []]);
      expect((await identities.getMergedPersons(1, ada)).uuids).toEqual([ada]);
      await identities.reviveUuid(bob);
      expect(await setup.ingest.transaction((store) => store.listTakenUuids([bob]))).toEqual([]);
    });

    it('deletes a person with all merged into it, and never reuses the uuid', async () => {
      const history = (personUuid: string) => ({
        projectId: 1,
        personUuid,
        key: 'a',
        before: undefined,
        after: 1,
        at: 1,
        eventUuid: uuidOf(0xe1),
      });
      await identities.addHistory([ada, bob, cyd].map(history));
      await merge(bob, ada);
      const person = await find(1, { uuid: ada });
      if (!person) throw new Error('nobody');
      const merged = await identities.getMergedPersons(1, ada);
      expect(await identities.delete(person, merged)).toEqual({
        persons: 1,
        distinctIds: 4,
        propertyHistory: 2,
        merges: 1,
      });
      expect(await find(1, { uuid: ada })).toBeNull();
      expect((await find(1, { uuid: cyd }))?.uuid).toBe(cyd);
      expect(await deletions.countRemainingData(1, cyd)).toBe(2);
      expect([await deletions.countRemainingData(1, ada), await deletions.countRemainingData(1, bob)]).toEqual([0, 0]);
      expect(await setup.ingest.transaction((store) => store.listTakenUuids([ada, bob]))).toEqual([ada, bob]);
    });

    it('deletes the history of given properties by one event', async () => {
      const change = (key: string, n: number) => ({
        projectId: 1,
        personUuid: ada,
        key,
        before: undefined,
        after: 1,
        at: 1,
        eventUuid: uuidOf(n),
      });
      await identities.addHistory([change('a', 1), change('b', 1), change('a', 2)]);
      await identities.deleteHistory(ada, uuidOf(1), ['a']);
      await identities.deleteHistory(ada, uuidOf(1), []);
      // The person itself, and two changes.
      expect(await deletions.countRemainingData(1, ada)).toBe(3);
    });

    it('removes dead letters and warnings of a person, and blanks activity', async () => {
      const letter = (payload: object, projectId = 1) => ({
        projectId,
        eventUuid: uuidOf(5),
        error: 'boom',
        payload: JSON.stringify(payload),
        context: '{}',
        receivedAt: 1,
        failedAt: 1,
      });
      const warning = (details: object) => ({ projectId: 1, type: 't', details: JSON.stringify(details), at: 1 });
      await write({
        deadLetters: [letter({ distinct_id: 'x' }), letter({ distinct_id: 'y' }), letter({ distinct_id: 'x' }, 2)],
        warnings: [warning({ sourceDistinctId: 'x' }), warning({ sourceDistinctId: 'y' })],
      });
      const entry = (itemId: string, after: string, label: string) => ({
        id: label,
        organizationId: 'o',
        projectId: 1,
        userId: null,
        activity: 'split_person',
        scope: 'Person',
        itemId,
        detail: {
          changes: [{ type: 'Person', action: 'split' as const, field: null, before: null, after: [after] }],
          trigger: null,
          name: ada,
          short_id: null,
        },
        createdAt: 1,
      });
      await setup.metadata.activity.create(entry('7', 'secret', 'a'));
      await setup.metadata.activity.create({ ...entry('8', 'x', 'b'), scope: 'Person' });
      await setup.metadata.activity.create({
        ...entry('8', 'y', 'c'),
        detail: { ...entry('8', 'y', 'c').detail, name: bob },
      });
      expect(await identities.removeReferences(1, { uuids: [cyd], ids: [7] }, ['x'])).toEqual({
        deadLetters: 1,
        ingestionWarnings: 1,
        activityEntriesBlanked: 2,
      });
      expect((await setup.metadata.deadLetters.list(1, ALL)).count).toBe(1);
      expect((await setup.metadata.deadLetters.list(2, ALL)).count).toBe(1);
      expect((await setup.metadata.warnings.list(1, undefined, ALL)).items).toMatchObject([
        { details: '{"sourceDistinctId":"y"}' },
      ]);
      const { items } = await setup.metadata.activity.list({ organizationId: 'o' }, ALL);
      expect(items.map(({ id, detail }) => [id, detail.name, detail.changes?.[0]?.after])).toEqual([
        ['c', bob, ['y']],
        ['b', ada, null],
        ['a', ada, null],
      ]);
    });

    it('blanks activity on definitions that contains a text, and no other', async () => {
      const create = (id: string, scope: string, name: string, projectId = 1) =>
        setup.metadata.activity.create({
          ...{ id, organizationId: 'o', projectId, userId: null, activity: 'changed', scope, itemId: id, createdAt: 1 },
          detail: { changes: null, trigger: null, name, short_id: null },
        });
      await create('a', 'EventDefinition', 'invited ADA@example.org "now"');
      await create('b', 'PropertyDefinition', 'seen by "ada"');
      await create('c', 'EventDefinition', 'invited');
      await create('d', 'FeatureFlag', 'ada@example.org');
      await create('e', 'EventDefinition', 'ada@example.org', 2);
      await identities.blankDefinitionActivity(1, ['ada@example.org', '"ada"']);
      const { items } = await setup.metadata.activity.list({ organizationId: 'o' }, ALL);
      expect(Object.fromEntries(items.map(({ id, detail }) => [id, detail.name]))).toEqual({
        a: null,
        b: null,
        c: 'invited',
        d: 'ada@example.org',
        e: 'ada@example.org',
      });
    });

    it('follows a deletion from its request to its end', async () => {
      const deletion = (n: number, projectId = 1) => ({
        id: uuidOf(0xd0 + n),
        projectId,
        personUuid: ada,
        requestedBy: 1,
        requestedAt: n,
        removed: { persons: 1 },
        exportedIn:
          n === 2 ? null : [{ batchExport: 'a', name: 'Lake', run: 'r', startAt: 1, endAt: 2, manifest: 'm.json' }],
      });
      for (const one of [deletion(1), deletion(2), deletion(3, 2)]) await deletions.create(one);
      const open = { eventsRemoved: null, scan: null, completedAt: null };
      expect(await deletions.get(1, uuidOf(0xd1))).toEqual({ ...deletion(1), ...open });
      expect(await deletions.get(2, uuidOf(0xd1))).toBeNull();
      await identities.queueReassignment(
        { projectId: 1, personId: ada, kind: 'remove', distinctIds: [] },
        uuidOf(0xd1),
      );
      const [order] = await setup.ingest.pendingReassignments();
      const done = [{ id: order?.id ?? 0, events: 12 }];
      await setup.ingest.transaction((store) => store.completeReassignments(done));
      await setup.ingest.transaction((store) => store.completeReassignments([{ id: order?.id ?? 0, events: 0 }]));
      expect((await deletions.get(1, uuidOf(0xd1)))?.eventsRemoved).toBe(12);
      const scan = { rows: 0, files: 3, bytes: 99, mentionedIn: null };
      await deletions.complete(uuidOf(0xd1), scan, 77);
      expect(await deletions.get(1, uuidOf(0xd1))).toMatchObject({ scan, completedAt: 77 });
      expect((await deletions.listUnfinished()).map(({ id }) => id)).toEqual([uuidOf(0xd2), uuidOf(0xd3)]);
      const { count, items } = await deletions.list(1, { limit: 1, offset: 0 });
      expect([count, items.map(({ id }) => id)]).toEqual([2, [uuidOf(0xd2)]]);
    });

    it('is the same after a purge', async () => {
      await identities.queueReassignment({ projectId: 1, personId: ada, kind: 'remove', distinctIds: ['z'] });
      const before = [await find(1, { uuid: ada }), await idsOf(ada), await setup.ingest.pendingReassignments()];
      await setup.ingest.purge();
      expect([await find(1, { uuid: ada }), await idsOf(ada), await setup.ingest.pendingReassignments()]).toEqual(
        before,
      );
    });
  });
}
