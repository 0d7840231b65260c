/** What every metadata store does with cohorts and their members. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { Cohort } from '../../src/stores/metadata/cohorts.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';
import { aCohort as someCohort } from './flag-builders.ts';
import { newPersonChanges } from './person-changes.ts';

const NOW = 1_768_478_400_000;

const aCohort = (name: string, rest: Partial<Cohort> = {}): Omit<Cohort, 'id'> =>
  someCohort(1, { name, createdAt: NOW, ...rest });

export function describeCohortStore(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`cohorts on ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const addPersons = (projectId: number, ...uuids: string[]): Promise<void> =>
      setup.ingest.transaction((store) =>
        store.apply({ ...NO_CHANGES, persons: newPersonChanges(projectId, uuids), position: ++position }),
      );
    const create = (label: string, rest: Partial<Cohort> = {}) => setup.metadata.cohorts.create(aCohort(label, rest));
    const namesOf = (cohorts: readonly Cohort[]): string[] => cohorts.map((cohort) => cohort.name);

    it('keeps a cohort whole, in its project', async () => {
      const given = aCohort('all', {
        description: 'd',
        groups: [{ properties: [] }],
        filters: { properties: { type: 'AND', values: [] } },
        isStatic: true,
        isCalculating: true,
        lastCalculation: NOW + 1,
        errorsCalculating: 2,
        count: 3,
        version: 4,
        createdBy: 5,
      });
      const cohort = await setup.metadata.cohorts.create(given);
      expect(cohort).toEqual({ ...given, id: cohort.id });
      expect(await setup.metadata.cohorts.get(1, cohort.id)).toEqual(cohort);
      expect(await setup.metadata.cohorts.get(2, cohort.id)).toBeNull();
      const changed = { ...cohort, name: 'new', isStatic: false, count: null, filters: {} };
      await setup.metadata.cohorts.update(changed);
      expect(await setup.metadata.cohorts.get(1, cohort.id)).toEqual(changed);
    });

    it('lists those that are not deleted, newest first, in pages', async () => {
      await create('old', { createdAt: NOW - 1 });
      await create('first');
      await create('second');
      const gone = await create('gone', { deleted: true });
      await create('theirs', { projectId: 2 });
      const { cohorts } = setup.metadata;
      expect(namesOf(await cohorts.listByProject(1))).toEqual(['second', 'first', 'old']);
      const { count, items } = await cohorts.list(1, { limit: 1, offset: 1 });
      expect([count, namesOf(items)]).toEqual([3, ['first']]);
      expect((await cohorts.get(1, gone.id))?.deleted).toBe(true);
    });

    it('lists pending and due calculations', async () => {
      await create('waits', { isCalculating: true });
      await create('static', { isCalculating: true, isStatic: true });
      await create('deleted', { isCalculating: true, deleted: true });
      await create('fresh', { lastCalculation: 100 });
      await create('older', { lastCalculation: 50 });
      await create('oldest', { lastCalculation: 40, projectId: 2, errorsCalculating: 20 });
      await create('broken', { lastCalculation: 30, errorsCalculating: 21 });
      await create('never');
      const { cohorts } = setup.metadata;
      expect(namesOf(await cohorts.listPending())).toEqual(['waits']);
      expect(namesOf(await cohorts.listDue(100, 20, 10))).toEqual(['never', 'oldest', 'older']);
      expect(namesOf(await cohorts.listDue(100, 20, 1))).toEqual(['never']);
    });

    it('finds persons of a project by uuid and distinct id', async () => {
      await addPersons(1, uuidOf(1), uuidOf(2));
      await addPersons(2, uuidOf(3));
      const { cohortMembers } = setup.metadata;
      const ids = await cohortMembers.listPersonIdsByUuid(1, [uuidOf(1), uuidOf(3), 'nobody']);
      expect(ids).toHaveLength(1);
      expect(await cohortMembers.listPersonIdsByDistinctId(1, [`first ${uuidOf(1)}`, `second ${uuidOf(1)}`])).toEqual(
        ids,
      );
      expect(await cohortMembers.listPersonIdsByDistinctId(1, [`first ${uuidOf(3)}`, "'; --", ''])).toEqual([]);
      expect(await cohortMembers.listUuids(1, [...ids, 999])).toEqual([uuidOf(1)]);
      expect(await cohortMembers.listUuids(2, ids)).toEqual([]);
      expect(await cohortMembers.listPersonIdsByUuid(1, [])).toEqual([]);
      const both = await cohortMembers.listPersonIdsByUuid(1, [uuidOf(2), uuidOf(1)]);
      const [second = 0, first = 0] = both;
      expect(await cohortMembers.sortPersonIds(1, [second, first, 999])).toEqual([first, second]);
    });

    it('adds existing persons once, and removes them', async () => {
      await addPersons(1, uuidOf(1), uuidOf(2), uuidOf(3));
      await addPersons(2, uuidOf(4));
      const { cohorts, cohortMembers } = setup.metadata;
      const cohort = await create('some', { lastCalculation: NOW });
      const other = await create('other', { isStatic: true });
      const never = await create('never calculated');
      const ids = (await cohortMembers.listPersonIdsByUuid(1, [1, 2, 3].map(uuidOf))).sort((a, b) => a - b);
      const theirs = await cohortMembers.listPersonIdsByUuid(2, [uuidOf(4)]);
      const [one = 0, two = 0, three = 0] = ids;
      expect(await cohortMembers.add(1, cohort.id, [one, two, ...theirs, 999])).toBe(2);
      expect(await cohortMembers.add(1, cohort.id, [two, three])).toBe(1);
      expect(await cohortMembers.listAfter(cohort.id, 0, 10)).toEqual(ids);
      expect(await cohortMembers.listAfter(cohort.id, one, 1)).toEqual([two]);
      expect(await cohortMembers.count(cohort.id)).toBe(3);
      expect(await cohortMembers.count(other.id)).toBe(0);
      await cohortMembers.add(1, other.id, [one]);
      await cohortMembers.add(1, never.id, [one]);
      expect(namesOf(await cohorts.listByPerson(1, one))).toEqual(['other', 'some']);
      expect(namesOf(await cohorts.listByPerson(1, two))).toEqual(['some']);
      expect(namesOf(await cohorts.listByPerson(2, two))).toEqual([]);
      expect(await cohortMembers.remove(cohort.id, [two, 999])).toBe(1);
      expect(await cohortMembers.listAfter(cohort.id, 0, 10)).toEqual([one, three]);
      await cohorts.update({ ...cohort, deleted: true });
      expect(namesOf(await cohorts.listByPerson(1, one))).toEqual(['other']);
    });

    it('undoes changes of members with the transaction they belong to', async () => {
      await addPersons(1, uuidOf(1));
      const cohort = await create('some');
      const ids = await setup.metadata.cohortMembers.listPersonIdsByUuid(1, [uuidOf(1)]);
      const failing = setup.metadata.transaction(async (store) => {
        await store.cohortMembers.add(1, cohort.id, ids);
        expect(await store.cohortMembers.count(cohort.id)).toBe(1);
        throw new Error('boom');
      });
      await expect(failing).rejects.toThrow('boom');
      expect(await setup.metadata.cohortMembers.count(cohort.id)).toBe(0);
    });
  });
}
