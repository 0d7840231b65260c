import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json/json.ts';
import type { Person } from '../../src/core/persons/person.ts';
import type { ColumnFilter } from '../../src/core/persons/person-columns.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { PersonIndexSizes, PersonIndexWriter } from '../../src/stores/metadata/person-index.ts';
import type { PersonCursor } from '../../src/stores/metadata/persons.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';

export interface PersonIndexSetup extends MetadataSetup {
  writer(sizes: PersonIndexSizes): PersonIndexWriter;
  /** Every text that the index keeps. */
  texts(): Promise<string[]>;
}

/** What may happen to the persons of a project. */
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('add' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('change' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('merge' as const), which: fc.nat(), into: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('bring back' as const), which: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('catch up' as const), pieces: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('forget' as const) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const PARITY: ColumnFilter = { kind: 'property', key: 'parity', fits: (value) => value === 1, part: null };

/** The index of persons never changes what is found, whatever it knows by then. `runs`: how many stories are tried. */
export function describePersonIndex(name: string, open: () => Promise<PersonIndexSetup>, runs = 40): void {
  describe(`person index: ${name}`, () => {
    let setup: PersonIndexSetup;
    beforeAll(async () => {
      setup = await open();
    });
    afterAll(() => setup.remove());

    let [projectId, numbers] = [0, 0];
    const apply = (persons: Partial<typeof NO_CHANGES.persons>): Promise<void> =>
      setup.ingest.transaction((store) =>
        store.apply({ ...NO_CHANGES, persons: { ...NO_CHANGES.persons, ...persons }, position: ++numbers }),
      );
    const write = (persons: readonly Person[]): Promise<void> =>
      apply({ persons: persons.map((person) => ({ person, isNew: true, mergedInto: null })) });
    const aPerson = (properties: Record<string, Json> = {}): Person => {
      const n = ++numbers;
      const createdAt = 1_768_478_400_000 + ((n * 7) % 5);
      return {
        projectId,
        uuid: uuidOf(n),
        createdAt,
        properties: { parity: n % 2, ...properties },
        isIdentified: false,
        version: 0,
      };
    };
    const numberOf = async ({ uuid }: Person): Promise<number> =>
      (await setup.metadata.persons.get(projectId, { uuid }))?.id ?? 0;
    const inOrder = (a: Person, b: Person): number => b.createdAt - a.createdAt || (a.uuid < b.uuid ? -1 : 1);

    const find = async (test: ColumnFilter, after: PersonCursor | null, limit: number): Promise<string[]> => {
      const found = await setup.metadata.persons.listMatching(projectId, test, after, limit);
      return found?.map(({ uuid }) => uuid) ?? ['the index gives up'];
    };

    /** Does it, in the store and in the plain list that the store is held against. */
    async function act(
      writer: PersonIndexWriter,
      all: Person[],
      deleted: { person: Person; id: number }[],
      todo: Action,
    ) {
      const at = (which: number): Person => all[which % all.length] as Person;
      const take = async (person: Person): Promise<void> => {
        deleted.push({ person, id: await numberOf(person) });
        all.splice(all.indexOf(person), 1);
      };
      if (todo.what === 'add') {
        const added = Array.from({ length: todo.count }, () => aPerson());
        all.push(...added);
        await write(added);
      } else if (todo.what === 'catch up') {
        for (let n = 0; n < todo.pieces && (await writer.catchUp()); n++);
      } else if (todo.what === 'forget') {
        await writer.purgeDeleted();
      } else if (todo.what === 'bring back') {
        const back = deleted.splice(todo.which % (deleted.length || 1), 1);
        all.push(...back.map(({ person }) => person));
        await setup.metadata.personIdentities.create(back.map(({ person, id }) => ({ ...person, id })));
      } else if (all.length > 1) {
        const person = at(todo.which);
        if (todo.what === 'change') {
          const changed = { ...person, properties: { parity: 1 - Number(person.properties['parity']) } };
          all[all.indexOf(person)] = changed;
          await write([changed]);
        } else if (todo.what === 'remove') {
          const known = { ...person, id: await numberOf(person) };
          await take(person);
          const { personIdentities } = setup.metadata;
          await personIdentities.delete(known, await personIdentities.getMergedPersons(projectId, person.uuid));
        } else if (at(todo.into) !== person) {
          const target = at(todo.into);
          await take(person);
          const merge = { op: 'merge', projectId, kind: 'identify', eventUuid: uuidOf(0), at: 0 } as const;
          const op = { ...merge, source: person, target, targetUuid: target.uuid };
          await apply({ ops: [op], overrides: [{ projectId, from: person.uuid, to: target.uuid }] });
        }
      }
    }

    it('finds the same persons as a scan, after any sequence of changes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
          projectId++;
          const writer = setup.writer({ blockSize: 4, minChanges: 2 });
          const [all, deleted]: [Person[], { person: Person; id: number }[]] = [[], []];
          for (const todo of actions) {
            await act(writer, all, deleted, todo);
            const expected = all.filter(({ properties }) => properties['parity'] === 1).sort(inOrder);
            const uuids = expected.map(({ uuid }) => uuid);
            expect(await find(PARITY, null, 100)).toEqual(uuids);
            expect(await find(PARITY, null, 3)).toEqual(uuids.slice(0, 3));
            const after = expected[1];
            if (after) expect(await find(PARITY, after, 2)).toEqual(uuids.slice(2, 4));
          }
        }),
        { numRuns: runs },
      );
    });

    it('keeps no data of deleted persons or of earlier values', async () => {
      projectId++;
      const writer = setup.writer({ blockSize: 8, minChanges: 1 });
      const [ada, bob, ...others] = Array.from({ length: 12 }, () => aPerson()) as [Person, Person, ...Person[]];
      await write([{ ...ada, properties: { word: 'canary one' } }, bob, ...others]);
      while (await writer.catchUp());
      await write([{ ...ada, properties: { word: 'canary two' } }]);
      while (await writer.catchUp());
      const textsWithCanary = async (): Promise<string[]> =>
        (await setup.texts()).filter((text) => /canary/.test(text));
      expect(await textsWithCanary()).not.toEqual([]);
      const { personIdentities } = setup.metadata;
      const known = { ...ada, id: await numberOf(ada) };
      await personIdentities.delete(known, await personIdentities.getMergedPersons(projectId, ada.uuid));
      await writer.purgeDeleted();
      expect(await textsWithCanary()).toEqual([]);
      expect((await setup.texts()).filter((text) => text.includes(ada.uuid))).toEqual([]);
      expect(await find({ kind: 'all', tests: [] }, null, 100)).toEqual(
        [bob, ...others].sort(inOrder).map(({ uuid }) => uuid),
      );
    });

    it('is deleted with its project', async () => {
      projectId++;
      await write([aPerson({ word: 'canary' }), aPerson()]);
      while (await setup.writer({ blockSize: 4, minChanges: 1 }).catchUp());
      await setup.metadata.projects.delete(projectId);
      expect((await setup.texts()).filter((text) => text.includes('canary'))).toEqual([]);
    });

    it('returns null if too many persons are not indexed', async () => {
      projectId++;
      const all = Array.from({ length: 4001 }, () => aPerson());
      await write(all);
      expect(await find(PARITY, null, 1)).toEqual(['the index gives up']);
      await setup.writer({ blockSize: 4096, minChanges: 1000 }).catchUp();
      const odd = all.filter(({ properties }) => properties['parity'] === 1);
      expect(await find(PARITY, null, 5000)).toEqual(odd.sort(inOrder).map(({ uuid }) => uuid));
    });
  });
}
