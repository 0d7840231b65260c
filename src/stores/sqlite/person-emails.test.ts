import { describePersonEmails } from '../../../test/contract/person-emails.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

describePersonEmails('SQLite', async () => {
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
