import { open } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { JournalSync } from './journal-sync.ts';

const dir = makeTempDir();
afterEach(() => {
  vi.restoreAllMocks();
  dir.remove();
});

/** Syncs of any file, with the power to hold or fail them. */
async function spyOnSyncs() {
  const handle = await open('/dev/null', 'r');
  await handle.close();
  return vi.spyOn(Object.getPrototypeOf(handle) as { datasync(): Promise<void> }, 'datasync');
}

it('a change of metadata is on disk when it is acknowledged, and the thread did not wait', async () => {
  const { metadata } = await openMigratedStore(dir.path('metadata.sqlite'));
  const syncs = await spyOnSyncs();
  await metadata.installation.set('a', '1');
  expect(syncs).toHaveBeenCalledTimes(1);
  await metadata.transaction(async ({ installation }) => {
    await installation.set('b', '2');
    await installation.set('c', '3');
    expect(syncs).toHaveBeenCalledTimes(1);
  });
  expect(syncs).toHaveBeenCalledTimes(2);
  expect(await metadata.installation.get('c')).toBe('3');
  expect(syncs).toHaveBeenCalledTimes(2);
  syncs.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
  await expect(metadata.installation.set('d', '4')).rejects.toThrow('EIO');
  await metadata.close();
});

it('commits during a sync share the next one', async () => {
  const path = makeTempDir().path('db');
  await (await open(`${path}-wal`, 'w')).close();
  const journal = new JournalSync(path);
  const syncs = await spyOnSyncs();
  await Promise.all([journal.sync(), journal.sync(), journal.sync(), journal.sync()]);
  expect(syncs).toHaveBeenCalledTimes(2);
  await journal.close();
});
