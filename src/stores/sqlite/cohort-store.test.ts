import { describeCohortStore } from '../../../test/contract/cohorts.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

describeCohortStore('SQLite', async () => {
  const dir = makeTempDir();
  const { metadata, ingest } = await openMigratedStore(dir.path('metadata.sqlite'));
  return {
    metadata,
    ingest,
    remove: async () => {
      await metadata.close();
      dir.remove();
    },
  };
});
