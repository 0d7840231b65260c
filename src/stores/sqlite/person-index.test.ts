import { sql } from 'kysely';
import { describePersonIndex } from '../../../test/contract/person-index.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { sqlPersonIndex } from '../sql/person-index.ts';
import { openSqliteDatabase } from './metadata-store.ts';

describePersonIndex('SQLite', async () => {
  const dir = makeTempDir();
  const { metadata, ingest } = await openMigratedStore(dir.path('metadata.sqlite'));
  const database = openSqliteDatabase(dir.path('metadata.sqlite'));
  return {
    metadata,
    ingest,
    writer: (sizes) => sqlPersonIndex(database, sqliteDialect, sizes),
    texts: async () => {
      const { rows } = await sql<{ text: string }>`
        select distinct_values as text from person_columns union all select uuids from person_blocks`.execute(database);
      return rows.map(({ text }) => text);
    },
    remove: async () => {
      await database.destroy();
      await metadata.close();
      dir.remove();
    },
  };
});
