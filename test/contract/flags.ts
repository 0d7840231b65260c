import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeatureFlag } from '../../src/stores/metadata/flags.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

const NOW = 1_768_478_400_000;

/** A flag of project 1 that has everything; beyond 32 bits where times are. */
export const aFlag = (key: string, rest: Partial<Omit<FeatureFlag, 'id'>> = {}): Omit<FeatureFlag, 'id'> => ({
  projectId: 1,
  key,
  name: `The flag ${key}`,
  filters: { groups: [{ properties: [], rollout_percentage: 0.1 }], __proto__ish: 'Ünïcode \u{1f600}' },
  active: true,
  deleted: false,
  ensureExperienceContinuity: true,
  rollbackConditions: null,
  performedRollback: null,
  tags: ['a', 'b'],
  evaluationRuntime: 'server',
  bucketingIdentifier: 'device_id',
  isRemoteConfiguration: true,
  promotedFrom: { project: 7, flag: 3, version: 12 },
  activeSince: NOW - 1,
  version: 1,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW + 1,
  lastModifiedBy: null,
  ...rest,
});

/** What every metadata store does with feature flags and the access of roles to them. */
export function describeFlagStores(name: string, open: () => Promise<MetadataStore>): void {
  describe(`feature flags on ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const keys = (flags: readonly FeatureFlag[]): string[] => flags.map((flag) => flag.key);

    it('are kept with every field, and found by id and by key in their project alone', async () => {
      const flag = await store.flags.create(aFlag('one'));
      expect(flag).toEqual({ id: flag.id, ...aFlag('one') });
      expect(await store.flags.get(1, flag.id)).toEqual(flag);
      expect(await store.flags.getByKey(1, 'one')).toEqual(flag);
      expect(await store.flags.get(2, flag.id)).toBeNull();
      expect(await store.flags.getByKey(2, 'one')).toBeNull();
      expect(await store.flags.getByKey(1, 'ONE')).toBeNull();
    });

    it.each([
      ['a list', [{ threshold: 1 }]],
      ['an object', { threshold: 1 }],
      ['null', null],
    ])('keep rollback conditions as they are: %s', async (_name, rollbackConditions) => {
      const { id } = await store.flags.create(aFlag('one', { rollbackConditions, performedRollback: false }));
      expect(await store.flags.get(1, id)).toMatchObject({ rollbackConditions, performedRollback: false });
    });

    it('are listed without those that are deleted, newest first', async () => {
      await store.flags.create(aFlag('first', { createdAt: NOW + 5 }));
      await store.flags.create(aFlag('second', { createdAt: NOW }));
      await store.flags.create(aFlag('third', { createdAt: NOW }));
      await store.flags.create(aFlag('gone', { deleted: true }));
      await store.flags.create(aFlag('elsewhere', { projectId: 2 }));
      expect(keys(await store.flags.listByProject(1))).toEqual(['first', 'third', 'second']);
      expect(keys(await store.flags.listDeleted(1))).toEqual(['gone']);
    });

    it('have a unique key, which deleted ones may share', async () => {
      const first = await store.flags.create(aFlag('same'));
      await expect(store.flags.create(aFlag('same'))).rejects.toThrow();
      await store.flags.create(aFlag('same', { projectId: 2 }));
      await store.flags.update({ ...first, deleted: true, version: 2 });
      const second = await store.flags.create(aFlag('same'));
      await store.flags.update({ ...second, deleted: true, version: 2 });
      expect(second.id).not.toBe(first.id);
      expect(await store.flags.getByKey(1, 'same')).toBeNull();
      expect(await store.flags.get(1, first.id)).toMatchObject({ deleted: true, version: 2 });
      await store.flags.update({ ...first, version: 3 });
      await expect(store.flags.update({ ...second, version: 3 })).rejects.toThrow();
    });

    it('keep every version, oldest first, also when they are removed', async () => {
      const flag = await store.flags.create(aFlag('one'));
      const second = { ...flag, name: 'new', filters: {}, version: 2 };
      await store.flags.update(second);
      await store.flags.update({ ...second, deleted: true, version: 3 });
      await store.flags.purgeDeleted(1, 'one');
      expect(await store.flags.get(1, flag.id)).toBeNull();
      const versions = await store.flags.listVersions(1, flag.id);
      expect(versions).toEqual([flag, second, { ...second, deleted: true, version: 3 }]);
      expect(await store.flags.listVersions(2, flag.id)).toEqual([]);
      const other = await store.flags.create(aFlag('two'));
      expect(await store.flags.listAllVersions(1)).toEqual([...versions, other]);
      expect(await store.flags.listAllVersions(2)).toEqual([]);
    });

    it('do not replace a stored version', async () => {
      const flag = await store.flags.create(aFlag('one'));
      await expect(store.flags.update({ ...flag, name: 'again' })).rejects.toThrow();
    });

    it('never reuse an id', async () => {
      const { id } = await store.flags.create(aFlag('one', { deleted: true }));
      await store.flags.purgeDeleted(1, 'one');
      expect((await store.flags.create(aFlag('two'))).id).toBeGreaterThan(id);
    });

    it('are removed by key when they are deleted, with the access to them', async () => {
      const gone = await store.flags.create(aFlag('same', { deleted: true }));
      const [living, other, elsewhere] = [
        await store.flags.create(aFlag('same')),
        await store.flags.create(aFlag('other', { deleted: true })),
        await store.flags.create(aFlag('same', { deleted: true, projectId: 2 })),
      ];
      await give(gone, 'r');
      await give(living, 'r');
      await store.flags.purgeDeleted(1, 'same');
      expect(await store.flags.get(1, gone.id)).toBeNull();
      expect(await store.flagRoleAccess.listByFlag(gone.id)).toEqual([]);
      expect(await store.flagRoleAccess.listByFlag(living.id)).toHaveLength(1);
      expect(await store.flags.get(1, living.id)).toEqual(living);
      expect(await store.flags.get(1, other.id)).toEqual(other);
      expect(await store.flags.get(2, elsewhere.id)).toEqual(elsewhere);
    });

    it('with rollback conditions are found in all projects, while they are on', async () => {
      const rollbackConditions = [{ threshold: 1 }];
      await store.flags.create(aFlag('one', { rollbackConditions }));
      await store.flags.create(aFlag('two', { rollbackConditions: { threshold: 1 }, projectId: 2 }));
      await store.flags.create(aFlag('off', { rollbackConditions, active: false }));
      await store.flags.create(aFlag('gone', { rollbackConditions, deleted: true }));
      for (const none of [null, [], {}])
        await store.flags.create(aFlag(JSON.stringify(none), { rollbackConditions: none }));
      expect(keys(await store.flags.listWithRollbackConditions())).toEqual(['one', 'two']);
    });

    const give = ({ id, projectId }: FeatureFlag, roleId: string) =>
      store.flagRoleAccess.create({ projectId, flagId: id, roleId, addedAt: NOW, updatedAt: NOW + 1 });

    it('give roles access once each, listed by flag and by role', async () => {
      const [one, two] = [await store.flags.create(aFlag('one')), await store.flags.create(aFlag('two'))];
      const [first, second, third] = [await give(one, 'r'), await give(one, 's'), await give(two, 'r')];
      await expect(give(one, 'r')).rejects.toThrow();
      expect(first).toEqual({
        id: first.id,
        projectId: 1,
        flagId: one.id,
        roleId: 'r',
        addedAt: NOW,
        updatedAt: NOW + 1,
      });
      expect(await store.flagRoleAccess.listByFlag(one.id)).toEqual([first, second]);
      expect(await store.flagRoleAccess.get(one.id, second.id)).toEqual(second);
      expect(await store.flagRoleAccess.get(two.id, second.id)).toBeNull();
      await store.flags.update({ ...two, deleted: true, version: 2 });
      expect(await store.flagRoleAccess.listByRoles(['r'])).toEqual([
        { ...first, flagKey: 'one', isDeleted: false },
        { ...third, flagKey: 'two', isDeleted: true },
      ]);
      expect(await store.flagRoleAccess.listByRoles([])).toEqual([]);
      await store.flagRoleAccess.delete(first.id);
      expect(await store.flagRoleAccess.listByFlag(one.id)).toEqual([second]);
    });

    it('are deleted with their project, versions and access', async () => {
      const [flag, other] = [
        await store.flags.create(aFlag('one')),
        await store.flags.create(aFlag('one', { projectId: 2 })),
      ];
      await give(flag, 'r');
      await give(other, 'r');
      await store.projects.delete(1);
      expect(await store.flags.get(1, flag.id)).toBeNull();
      expect(await store.flags.listVersions(1, flag.id)).toEqual([]);
      expect(await store.flagRoleAccess.listByFlag(flag.id)).toEqual([]);
      expect(await store.flags.get(2, other.id)).toEqual(other);
      expect(await store.flags.listVersions(2, other.id)).toEqual([other]);
      expect(await store.flagRoleAccess.listByFlag(other.id)).toHaveLength(1);
    });

    it('are not changed by a transaction that fails', async () => {
      const flag = await store.flags.create(aFlag('one'));
      const work = store.transaction(async (inside) => {
        await inside.flags.update({ ...flag, name: 'lost', version: 2 });
        throw new Error('power cut');
      });
      await expect(work).rejects.toThrow('power cut');
      expect(await store.flags.get(1, flag.id)).toEqual(flag);
      expect(await store.flags.listVersions(1, flag.id)).toEqual([flag]);
    });
  });
}
