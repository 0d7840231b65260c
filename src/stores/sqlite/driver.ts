/**
 * SQLite under Kysely, with two habits of our own:
 *
 * - a transaction takes the write lock when it begins, so that it never fails half-way because somebody else wrote;
 * - waiting for that lock does not block the thread. better-sqlite3 is synchronous: its own busy timeout would hold up
 *   every request while the worker thread writes a chunk. So it gives up at once, and we ask again a little later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Dialect, SqliteDialect, SqliteDriver } from 'kysely';

const RETRY_EVERY_MS = 2;
const GIVE_UP_AFTER_MS = 10_000;

const isBusy = (error: unknown): boolean => (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;

async function whenFree<T>(attempt: () => Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += RETRY_EVERY_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || waited >= GIVE_UP_AFTER_MS) throw error;
      await sleep(RETRY_EVERY_MS);
    }
  }
}

class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }
  executeQuery<R>(query: CompiledQuery) {
    return whenFree(() => this.#connection.executeQuery<R>(query));
  }
  streamQuery<R>(query: CompiledQuery, chunkSize: number) {
    return this.#connection.streamQuery<R>(query, chunkSize);
  }
}

class PatientDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PatientConnection(await super.acquireConnection());
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

export function patientSqlite(database: Database.Database): Dialect {
  const plain = new SqliteDialect({ database });
  return {
    createDriver: () => new PatientDriver({ database }),
    createQueryCompiler: () => plain.createQueryCompiler(),
    createAdapter: () => plain.createAdapter(),
    createIntrospector: (db) => plain.createIntrospector(db),
  };
}
