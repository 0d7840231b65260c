import { describePersonStore } from '../../../test/contract/persons.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMetadataStore } from './metadata-store.ts';

describePersonStore('SQLite', async () => {
  const dir = makeTempDir();
  const { metadata, ingest } = await openMetadataStore(dir.path('metadata.sqlite'), 0);
  return {
    metadata,
    ingest,
    remove: async () => {
      await metadata.close();
      dir.remove();
    },
  };
});
