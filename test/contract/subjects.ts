import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PersonOp } from '../../src/core/persons/person-changes.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';
import { newPersonChanges } from './person-changes.ts';

interface SubjectSetup extends MetadataSetup {
  /** Puts a person into a static cohort, as somebody would by hand. */
  addMember(cohortId: number, personId: number): Promise<void>;
}

const ADA = uuidOf(1);
const BOB = uuidOf(2);
/** Each has two distinct ids; this is one of them. */
const ada = `first ${ADA}`;
const bob = `first ${BOB}`;

/** What every metadata store tells about those whom flags are decided for. */
export function describeSubjectStore(name: string, open: () => Promise<SubjectSetup>): void {
  describe(`subjects: ${name}`, () => {
    let setup: SubjectSetup;
    beforeEach(async () => {
      setup = await open();
      await write({ persons: newPersonChanges(1, [ADA, BOB]) });
    });
    afterEach(() => setup.remove());

    let position = 0;
    const write = (changes: object): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, ...changes, position: ++position }));
    const subjects = () => setup.metadata.subjects;
    const idOf = async (distinctId: string): Promise<number> => {
      const person = await subjects().getPerson(1, distinctId);
      return person?.id ?? 0;
    };

    it('finds a person by a distinct id, in its own project only', async () => {
      const found = await subjects().getPerson(1, ada);
      expect(found?.properties).toEqual({ of: ADA });
      expect(await subjects().getPerson(2, ada)).toBeNull();
      expect(await subjects().getPerson(1, 'nobody')).toBeNull();
      expect(await subjects().getPerson(1, '')).toBeNull();
    });

    it('finds several at once, without unknown ids', async () => {
      const found = await subjects().getPersons(1, [bob, "it's", ada, ada]);
      expect([...found.keys()].sort()).toEqual([ada, bob]);
      expect(found.get(ada)).toEqual(await subjects().getPerson(1, ada));
      expect(await subjects().getPersons(1, [])).toEqual(new Map());
      expect(await subjects().getPersons(2, [ada])).toEqual(new Map());
    });

    it('finds group types by index, and groups by type and key', async () => {
      const group = (typeIndex: number, key: string, properties: object, projectId = 1) => ({
        projectId,
        typeIndex,
        key,
        properties,
        createdAt: 1,
        version: 1,
      });
      await write({
        groupTypes: [
          { projectId: 1, index: 0, name: 'company' },
          { projectId: 1, index: 1, name: 'team' },
          { projectId: 2, index: 0, name: 'other' },
        ],
        groups: [group(0, 'acme', { size: 5 }), group(1, 'acme', { size: 2 }), group(0, 'acme', { size: 9 }, 2)],
      });
      expect([...(await subjects().listGroupTypes(1))]).toEqual([
        [0, 'company'],
        [1, 'team'],
      ]);
      const asked = [
        { typeIndex: 0, key: 'acme' },
        { typeIndex: 1, key: 'acme' },
        { typeIndex: 0, key: 'unheard of' },
      ];
      const found = await subjects().listGroups(1, asked);
      expect(found.sort((a, b) => a.typeIndex - b.typeIndex)).toEqual([
        { typeIndex: 0, key: 'acme', properties: { size: 5 } },
        { typeIndex: 1, key: 'acme', properties: { size: 2 } },
      ]);
      expect(await subjects().listGroups(1, [])).toEqual([]);
    });

    it('returns which of the cohorts contain a person', async () => {
      const id = await idOf(ada);
      await setup.addMember(7, id);
      await setup.addMember(9, id);
      await setup.addMember(8, await idOf(bob));
      expect(await subjects().listCohortsWith(id, [9, 8, 7, 6])).toEqual([7, 9]);
      expect(await subjects().listCohortsWith(id, [8])).toEqual([]);
      expect(await subjects().listCohortsWith(id, [])).toEqual([]);
    });

    it('keeps the first override of a flag', async () => {
      const [a, b] = [await idOf(ada), await idOf(bob)];
      await subjects().createOverrides(1, [
        { personId: a, flagKey: 'beta', identifier: 'anon-1' },
        { personId: b, flagKey: 'beta', identifier: 'anon-2' },
      ]);
      await subjects().createOverrides(1, [
        { personId: a, flagKey: 'beta', identifier: 'late' },
        { personId: a, flagKey: 'gamma', identifier: 'late' },
      ]);
      await subjects().createOverrides(1, []);
      expect(await subjects().listOverrides([a, b, 0])).toEqual([
        { personId: a, flagKey: 'beta', identifier: 'anon-1' },
        { personId: a, flagKey: 'gamma', identifier: 'late' },
        { personId: b, flagKey: 'beta', identifier: 'anon-2' },
      ]);
      expect(await subjects().listOverrides([])).toEqual([]);
    });

    it('moves overrides and memberships with a merge', async () => {
      const [a, b] = [await idOf(ada), await idOf(bob)];
      await subjects().createOverrides(1, [
        { personId: a, flagKey: 'beta', identifier: 'of ada' },
        { personId: b, flagKey: 'beta', identifier: 'of bob' },
        { personId: b, flagKey: 'gamma', identifier: 'of bob' },
      ]);
      await setup.addMember(7, b);
      const person = { projectId: 1, createdAt: 1, properties: {}, isIdentified: true, version: 1 };
      const merge: PersonOp = {
        op: 'merge',
        projectId: 1,
        kind: 'identify',
        source: { ...person, uuid: BOB },
        target: { ...person, uuid: ADA },
        targetUuid: ADA,
        eventUuid: uuidOf(9),
        at: 1,
      };
      await write({ persons: { persons: [], ops: [merge], history: [], overrides: [] } });
      expect(await idOf(bob)).toBe(a);
      expect((await subjects().listOverrides([a, b])).map(({ identifier }) => identifier)).toEqual([
        'of ada',
        'of bob',
      ]);
      expect(await subjects().listCohortsWith(a, [7])).toEqual([7]);
    });
  });
}
