/**
 * SQLite under Kysely, with three habits of our own:
 *
 * - a transaction takes the write lock when it begins, so that it never fails half-way because somebody else wrote;
 * - waiting for that lock blocks neither the thread nor other queries. better-sqlite3 is synchronous: its own busy
 *   timeout would hold up every request while the worker thread writes a chunk. So it gives up at once and we ask again
 *   a little later; meanwhile other queries use another connection;
 * - statements are prepared once and kept, because preparing costs more than running most of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

const RETRY_INTERVAL_MS = 2;
/** Writing the whole database afresh, after a person was deleted, holds the lock for seconds for each gigabyte. */
const LOCK_TIMEOUT_MS = 60_000;
const STATEMENT_CACHE_SIZE = 500;

export const isBusy = (error: unknown): boolean =>
  (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;

async function retryWhileBusy<T>(attempt: () => T): Promise<T> {
  for (let waited = 0; ; waited += RETRY_INTERVAL_MS) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || waited >= LOCK_TIMEOUT_MS) throw error;
      await sleep(RETRY_INTERVAL_MS);
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #onWrite: ((sql: string) => void) | undefined;

  constructor(database: Database.Database, onWrite?: (sql: string) => void) {
    this.database = database;
    this.#onWrite = onWrite;
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return retryWhileBusy(() => {
      const statement = this.#prepare(sql);
      const result = run<R>(statement, parameters);
      // 'begin' and 'commit' count as reading to SQLite.
      if (!statement.readonly || !statement.reader) this.#onWrite?.(sql);
      return result;
    });
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.database.prepare(sql).iterate(parameters)) yield { rows: [row as R] };
  }

  #prepare(sql: string): Database.Statement {
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    const statement = this.database.prepare(sql);
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}

function run<R>(statement: Database.Statement, parameters: readonly unknown[]): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

/**
 * Queries run at once, so one connection serves nearly all the time; a second and third are opened for when a
 * transaction is under way. The number is not bounded: it cannot exceed the transactions that wait at one time.
 */
class SqliteDriver implements Driver {
  readonly #open: () => Database.Database;
  readonly #onWrite: ((sql: string) => void) | undefined;
  readonly #free: SqliteConnection[] = [];
  readonly #all: SqliteConnection[] = [];

  constructor(open: () => Database.Database, onWrite?: (sql: string) => void) {
    this.#open = open;
    this.#onWrite = onWrite;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    const free = this.#free.pop();
    if (free) return free;
    const connection = new SqliteConnection(this.#open(), this.#onWrite);
    this.#all.push(connection);
    return connection;
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    this.#free.push(connection);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    // SQLite rolls back by itself after some errors (a full disk): then there is nothing left to do.
    if (connection.database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    for (const { database } of this.#all) database.close();
  }
}

/** `onWrite` hears of everything that may have changed something, once it has. */
export function nonBlockingSqlite(open: () => Database.Database, onWrite?: (sql: string) => void): Dialect {
  return {
    createDriver: () => new SqliteDriver(open, onWrite),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}
