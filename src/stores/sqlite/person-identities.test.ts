import { readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { MetadataSetup } from '../../../test/contract/event-records.ts';
import { describePersonIdentities } from '../../../test/contract/person-identities.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

async function openIn(dir: TempDir): Promise<MetadataSetup> {
  const { metadata, ingest } = await openMigratedStore(dir.path('metadata.sqlite'));
  return {
    metadata,
    ingest,
    remove: async () => {
      await metadata.close();
      dir.remove();
    },
  };
}

describePersonIdentities('SQLite', () => openIn(makeTempDir()));

it('leaves no trace of deleted persons in the file or its journal after a purge', async () => {
  const dir = makeTempDir();
  const { metadata, ingest, remove } = await openIn(dir);
  for (let n = 0; n < 400; n++) await metadata.installation.set(`canary-${n}`, 'canary-value '.repeat(n % 40));
  for (let n = 0; n < 400; n++) await metadata.installation.delete(`canary-${n}`);
  const spelled = (): string[] =>
    ['metadata.sqlite', 'metadata.sqlite-wal'].filter((file) => readFileSync(dir.path(file)).includes('canary'));
  expect(spelled()).not.toEqual([]);
  await ingest.purge();
  expect(spelled()).toEqual([]);
  expect(statSync(dir.path('metadata.sqlite-wal')).size).toBe(0);
  await metadata.installation.set('still', 'works');
  expect(await metadata.installation.get('still')).toBe('works');
  await remove();
});
