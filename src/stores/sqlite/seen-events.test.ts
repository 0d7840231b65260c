import { describeSeenEvents } from '../../../test/contract/seen-events.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { openSqliteDatabase } from './metadata-store.ts';

describeSeenEvents('SQLite', async () => {
  const dir = makeTempDir();
  const { metadata } = await openMigratedStore(dir.path('metadata.sqlite'));
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
