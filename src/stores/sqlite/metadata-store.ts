import Database from 'better-sqlite3';
import { CamelCasePlugin, Kysely } from 'kysely';
import type { IngestStore } from '../ingest/ingest-store.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { type FeatureTables, NO_FEATURE_TABLES } from '../sql/feature-tables.ts';
import { sqlIngestStore } from '../sql/ingest/ingest-store.ts';
import { sqlMetadataStore } from '../sql/metadata-store.ts';
import { migrateDatabase } from '../sql/migrate.ts';
import type { Tables } from '../sql/tables.ts';
import { nonBlockingSqlite } from './driver.ts';
import { PersonIndexReader } from './person-index-reader.ts';
import { PersonReader, withPersonReader } from './person-reader.ts';

/**
 * The relational database for one thread; several threads may open it. `onWrite` is called after each write.
 */
export function openSqliteDatabase(path: string, onWrite?: (sql: string) => void): Kysely<Tables> {
  const dialect = nonBlockingSqlite(() => connect(path), onWrite);
  return new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()] });
}

function connect(path: string): Database.Database {
  // timeout 0: the driver waits for locks.
  const database = new Database(path, { timeout: 0 });
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('cache_size = -32000');
  database.pragma('journal_size_limit = 67108864');
  return database;
}

export interface SqliteStores {
  metadata: MetadataStore;
  /** For reading; the worker thread opens its own. */
  ingest: IngestStore;
}

/** Opens and migrates the database. Closing `metadata` closes both. */
export async function openMetadataStore(
  path: string,
  now: number,
  own: FeatureTables = NO_FEATURE_TABLES,
): Promise<SqliteStores> {
  const reader = new PersonReader(() => connect(path));
  const index = new PersonIndexReader(() => connect(path));
  const db = openSqliteDatabase(path, (sql) => reader.onWrite(sql));
  try {
    await migrateDatabase(db as unknown as Kysely<unknown>, sqliteDialect, now, own.migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const general = sqlMetadataStore(db, sqliteDialect, own);
  const metadata: MetadataStore = {
    ...general,
    subjects: withPersonReader(general.subjects, reader),
    persons: { ...general.persons, listMatching: (...args) => index.listMatching(...args) },
    close: async () => {
      reader.close();
      index.close();
      await general.close();
    },
  };
  return { metadata, ingest: sqlIngestStore(db, sqliteDialect) };
}
