import Database from 'better-sqlite3';
import { CamelCasePlugin, type Dialect, Kysely } from 'kysely';
import type { IngestStore } from '../ingest/ingest-store.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { type FeatureTables, NO_FEATURE_TABLES } from '../sql/feature-tables.ts';
import { sqlIngestStore } from '../sql/ingest/ingest-store.ts';
import { sqlMetadataStore } from '../sql/metadata-store.ts';
import { migrateDatabase } from '../sql/migrate.ts';
import type { Tables } from '../sql/tables.ts';
import { nonBlockingSqlite } from './driver.ts';
import { JournalSync } from './journal-sync.ts';
import { PersonIndexReader } from './person-index-reader.ts';
import { PersonReader, withPersonReader } from './person-reader.ts';

/** The relational database for one thread; several threads may open it. A commit waits for the disk, and so the thread. */
export const openSqliteDatabase = (path: string): Kysely<Tables> =>
  openWith(nonBlockingSqlite(() => connect(path, 'synchronous = full')));

const openWith = (dialect: Dialect): Kysely<Tables> =>
  new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()] });

/**
 * For the thread that serves HTTP, which must not wait for the disk: whoever commits waits for a sync in the thread pool.
 * Copying the journal into the database also syncs, so that is left to the worker thread as long as it keeps up.
 */
function openForServing(path: string, journal: JournalSync, onWrite: (sql: string) => void): Kysely<Tables> {
  const open = (): Database.Database =>
    connect(path, 'synchronous = normal', `wal_autocheckpoint = ${SERVING_CHECKPOINT_PAGES}`);
  return openWith(nonBlockingSqlite(open, { onWrite, onCommit: () => journal.sync() }));
}

/** 64 MB. */
const SERVING_CHECKPOINT_PAGES = 16_384;

function connect(path: string, ...pragmas: readonly string[]): Database.Database {
  // timeout 0: the driver waits for locks.
  const database = new Database(path, { timeout: 0 });
  // Before anything is written: free pages can then be given back without rewriting the file. Later it waits for the lock.
  if (database.pragma('page_count', { simple: true }) === 0) database.pragma('auto_vacuum = incremental');
  database.pragma('journal_mode = wal');
  for (const pragma of pragmas) database.pragma(pragma);
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
  const journal = new JournalSync(path);
  const db = openForServing(path, journal, (sql) => reader.onWrite(sql));
  try {
    await migrateDatabase(db as unknown as Kysely<unknown>, sqliteDialect, now, own.migrations);
  } catch (error) {
    await db.destroy();
    await journal.close();
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
      await journal.close();
      await general.close();
    },
  };
  return { metadata, ingest: sqlIngestStore(db, sqliteDialect) };
}
