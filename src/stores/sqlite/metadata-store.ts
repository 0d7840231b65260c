import Database from 'better-sqlite3';
import { CamelCasePlugin, Kysely } from 'kysely';
import type { MetadataStore } from '../metadata-store.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { sqlMetadataStore } from '../sql/metadata-store.ts';
import { migrate } from '../sql/migrate.ts';
import type { Tables } from '../sql/tables.ts';
import { patientSqlite } from './driver.ts';

/** The relational database, for one thread; several threads may each open it. */
export function openDatabase(path: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: patientSqlite(() => connect(path)), plugins: [new CamelCasePlugin()] });
}

function connect(path: string): Database.Database {
  // timeout 0: waiting is the driver's business.
  const database = new Database(path, { timeout: 0 });
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('cache_size = -32000');
  database.pragma('journal_size_limit = 67108864');
  return database;
}

/** Opens the relational shelf and brings it to this version's shape. */
export async function openMetadataStore(path: string, now: number): Promise<MetadataStore> {
  const db = openDatabase(path);
  try {
    await migrate(db as unknown as Kysely<unknown>, sqliteDialect, now);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return sqlMetadataStore(db, sqliteDialect);
}
