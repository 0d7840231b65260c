import { afterEach, beforeEach, expect, it } from 'vitest';
import { aCohort, aFlag, everybody, those } from '../../../../test/contract/flag-builders.ts';
import { makeTempDir, type TempDir } from '../../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../../test/support/migrated-store.ts';
import { Failure } from '../../../core/errors.ts';
import type { FlagStore } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { type FlagSnapshot, FlagSnapshots } from './flag-snapshots.ts';

let dir: TempDir;
let metadata: MetadataStore;
beforeEach(async () => {
  dir = makeTempDir();
  metadata = (await openMigratedStore(dir.path('metadata.sqlite'))).metadata;
});
afterEach(async () => {
  await metadata.close();
  dir.remove();
});

const keysOf = ({ prepared }: FlagSnapshot): string[] => [...prepared.byKey.keys()].sort();

/** The store, with reads of flags that wait until `next` is called. */
function slowStore() {
  const waiting: (() => void)[] = [];
  let reads = 0;
  const flags: FlagStore = {
    ...metadata.flags,
    listByProject: async (projectId) => {
      const found = await metadata.flags.listByProject(projectId);
      reads++;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return found;
    },
  };
  /** Continues one of the waiting reads, by default the first. */
  const next = async (index = 0): Promise<void> => {
    while (waiting.length <= index) await new Promise((resolve) => setImmediate(resolve));
    waiting.splice(index, 1)[0]?.();
  };
  return { store: { ...metadata, flags }, next, reads: () => reads };
}

it('reads a project once, and again after an invalidation', async () => {
  const flagSnapshots = new FlagSnapshots(metadata);
  await metadata.flags.create(aFlag(1, { key: 'one' }));
  const first = await flagSnapshots.get(1);
  expect(keysOf(first)).toEqual(['one']);
  await metadata.flags.create(aFlag(1, { key: 'two' }));
  expect(await flagSnapshots.get(1)).toBe(first);
  flagSnapshots.invalidate(1);
  expect(keysOf(await flagSnapshots.get(1))).toEqual(['one', 'two']);
  expect(keysOf(first)).toEqual(['one']);
  expect(keysOf(await flagSnapshots.get(2))).toEqual([]);
});

it('lets many requests share one read', async () => {
  const { store, next, reads } = slowStore();
  const flagSnapshots = new FlagSnapshots(store);
  const asked = Array.from({ length: 10 }, () => flagSnapshots.get(1));
  await next();
  await Promise.all(asked);
  expect(reads()).toBe(1);
});

it('does not cache a read that began before a change and ended after it', async () => {
  const { store, next } = slowStore();
  const flagSnapshots = new FlagSnapshots(store);
  const early = flagSnapshots.get(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await metadata.flags.create(aFlag(1, { key: 'late' }));
  flagSnapshots.invalidate(1);
  const late = flagSnapshots.get(1);
  await next();
  expect(keysOf(await early)).toEqual([]);
  await next();
  expect(keysOf(await late)).toEqual(['late']);
  expect(await flagSnapshots.get(1)).toBe(await late);
});

it('falls back on the newest snapshot when an older read ended after a newer one', async () => {
  const { store, next } = slowStore();
  const flagSnapshots = new FlagSnapshots(store);
  const early = flagSnapshots.get(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await metadata.flags.create(aFlag(1, { key: 'late' }));
  flagSnapshots.invalidate(1);
  const late = flagSnapshots.get(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await next(1);
  await late;
  await next();
  await early;
  flagSnapshots.invalidate(1);
  store.flags.listByProject = () => Promise.reject(new Failure('unavailable', 'The database does not answer.'));
  expect(keysOf(await flagSnapshots.get(1))).toEqual(['late']);
});

it('does not cache a read that failed', async () => {
  let isBroken = true;
  const flags: FlagStore = {
    ...metadata.flags,
    listByProject: async (id) => {
      if (isBroken) throw new Error('disk');
      return metadata.flags.listByProject(id);
    },
  };
  const flagSnapshots = new FlagSnapshots({ ...metadata, flags });
  await expect(flagSnapshots.get(1)).rejects.toThrow('disk');
  isBroken = false;
  expect(keysOf(await flagSnapshots.get(1))).toEqual([]);
});

it('compiles only what has changed', async () => {
  const flagSnapshots = new FlagSnapshots(metadata);
  const kept = await metadata.flags.create(aFlag(1, { key: 'kept', filters: those('plan', 'team') }));
  const changed = await metadata.flags.create(aFlag(1, { key: 'changed' }));
  const before = await flagSnapshots.get(1);
  await metadata.flags.update({ ...changed, filters: everybody(10), version: 2 });
  flagSnapshots.invalidate(1);
  const after = await flagSnapshots.get(1);
  const filtersOf = ({ prepared }: FlagSnapshot, key: string) => prepared.byKey.get(key)?.compiled.filters;
  expect(filtersOf(after, kept.key)).toBe(filtersOf(before, kept.key));
  expect(filtersOf(after, changed.key)).not.toBe(filtersOf(before, changed.key));
});

it('has cohorts, the flags of each runtime, and the flags with continuity', async () => {
  await metadata.cohorts.create(aCohort(1, { name: 'Testers' }));
  const group = { ...everybody(), aggregation_group_type_index: 0 };
  await metadata.flags.create(aFlag(1, { key: 'both', ensureExperienceContinuity: true }));
  await metadata.flags.create(aFlag(1, { key: 'server', evaluationRuntime: 'server' }));
  await metadata.flags.create(aFlag(1, { key: 'group', filters: group, ensureExperienceContinuity: true }));
  await metadata.flags.create(aFlag(1, { key: 'asleep', active: false, ensureExperienceContinuity: true }));
  const { cohorts, continuityKeys, keysByRuntime } = await new FlagSnapshots(metadata).get(1);
  expect(cohorts.map(({ name }) => name)).toEqual(['Testers']);
  expect(continuityKeys).toEqual(['both']);
  expect(keysByRuntime.server).toBeUndefined();
  expect([...(keysByRuntime.client ?? [])].sort()).toEqual(['both', 'group']);
});
