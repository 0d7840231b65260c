import { expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import type { Project } from '../stores/metadata/accounts.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { KeyGuard } from './key-guard.ts';
import { KeyUse } from './key-use.ts';
import { ProjectDirectory } from './project-directory.ts';

const clock = { now: () => 0 };

const NO_USE = new KeyUse({ store: { setLastUsed: async () => undefined }, clock, log: { warn: () => undefined } });

/** A directory over a store of one project whose key can be reset and whose look-ups can be held back. */
function makeDirectory() {
  const project = { id: 1, apiToken: 'phc_old' } as Project;
  const state = { project, isUnavailable: false, lookups: 0, release: [] as (() => void)[], isHeld: false };
  const getByApiToken = async (key: string): Promise<Project | null> => {
    state.lookups++;
    if (state.isUnavailable) throw new Failure('unavailable', 'The database does not answer.');
    const found = state.project.apiToken === key ? state.project : null;
    if (state.isHeld) await new Promise<void>((resolve) => state.release.push(resolve));
    return found;
  };
  const metadata = { projects: { getByApiToken } } as unknown as MetadataStore;
  const directory = new ProjectDirectory({ metadata, clock, keys: new KeyGuard(clock), keyUse: NO_USE });
  const resetKey = (apiToken: string): void => {
    state.project = { ...project, apiToken };
    directory.invalidate();
  };
  return { directory, state, resetKey };
}

const ADDRESS = '192.0.2.1';
const invalidKey = { code: 'invalid_api_key' };

it('looks a key up once, and again after an invalidation', async () => {
  const { directory, state } = makeDirectory();
  expect(directory.cached('phc_old')).toBeUndefined();
  await directory.getProject('phc_old', undefined, ADDRESS);
  await directory.getProject('phc_old', undefined, ADDRESS);
  expect([state.lookups, directory.cached('phc_old')?.id]).toEqual([1, 1]);
  directory.invalidate();
  expect(directory.cached('phc_old')).toBeUndefined();
  await directory.getProject('phc_old', undefined, ADDRESS);
  expect(state.lookups).toBe(2);
});

it('refuses a reset key although a look-up from before the reset ended after it', async () => {
  const { directory, state, resetKey } = makeDirectory();
  state.isHeld = true;
  const early = directory.getProject('phc_old', undefined, ADDRESS);
  resetKey('phc_new');
  state.isHeld = false;
  for (const release of state.release) release();
  expect((await early).id).toBe(1);
  expect(directory.cached('phc_old')).toBeUndefined();
  await expect(directory.getProject('phc_old', undefined, ADDRESS)).rejects.toMatchObject(invalidKey);
});

it('keeps what a later look-up found when an earlier one ends after it', async () => {
  const { directory, state } = makeDirectory();
  state.isHeld = true;
  const early = directory.getProject('phc_old', undefined, ADDRESS);
  state.project = { ...state.project, name: 'Renamed' };
  directory.invalidate();
  state.isHeld = false;
  await directory.getProject('phc_old', undefined, ADDRESS);
  for (const release of state.release) release();
  await early;
  expect(directory.cached('phc_old')?.name).toBe('Renamed');
});

it('falls back on the last known project while the store is unavailable', async () => {
  const { directory, state } = makeDirectory();
  await directory.getProject('phc_old', undefined, ADDRESS);
  directory.invalidate();
  state.isUnavailable = true;
  expect((await directory.getProject('phc_old', undefined, ADDRESS)).id).toBe(1);
  await expect(directory.getProject('phc_other', undefined, ADDRESS)).rejects.toMatchObject({
    code: 'fetch_team_fail',
  });
});

it('does not fall back on a key that was found to be invalid', async () => {
  const { directory, state, resetKey } = makeDirectory();
  await directory.getProject('phc_old', undefined, ADDRESS);
  resetKey('phc_new');
  await expect(directory.getProject('phc_old', undefined, ADDRESS)).rejects.toMatchObject(invalidKey);
  state.isUnavailable = true;
  await expect(directory.getProject('phc_old', undefined, ADDRESS)).rejects.toMatchObject({ code: 'fetch_team_fail' });
});
