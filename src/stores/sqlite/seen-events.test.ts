import { describeSeenEvents } from '../../../test/contract/seen-events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { openMetadataStore, openSqliteDatabase } from './metadata-store.ts';

describeSeenEvents('SQLite', async () => {
  const dir = makeTempDir();
  const { metadata } = await openMetadataStore(dir.path('metadata.sqlite'), 0);
  const db = openSqliteDatabase(dir.path('metadata.sqlite'));
  return {
    metadata,
    db,
    dialect: sqliteDialect,
    remove: async () => {
      await db.destroy();
      await metadata.close();
      dir.remove();
    },
  };
});
