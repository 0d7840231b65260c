/**
 * A Kysely driver for SQLite. It differs from Kysely's own in three ways:
 *
 * - transactions take the write lock at the start, so that they never fail halfway because of another writer;
 * - waiting for that lock does not block the thread. better-sqlite3 is synchronous, so its busy timeout would block every
 *   request while the worker thread writes a chunk. Instead we retry a little later; other queries use another connection;
 * - prepared statements are cached, since preparing costs more than running most of them.
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
import type { RepeatedQuery } from '../sql/repeat.ts';

const RETRY_INTERVAL_MS = 2;
/** Rewriting the database after a person was deleted holds the lock for seconds per gigabyte. */
const LOCK_TIMEOUT_MS = 60_000;
const STATEMENT_CACHE_SIZE = 500;
/** Each of its steps releases one page, and better-sqlite3 makes only one step of a statement without columns. */
const STEPPED = /^pragma incremental_vacuum/;

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

/** What happens after writes. */
interface WriteHooks {
  /** After each statement that may have changed something. */
  onWrite?(sql: string): void;
  /** After each commit, of a transaction or of a single statement; whoever wrote waits for it. */
  onCommit?(): Promise<void>;
}

class SqliteConnection implements DatabaseConnection {
  readonly database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #hooks: WriteHooks;

  constructor(database: Database.Database, hooks: WriteHooks) {
    this.database = database;
    this.#hooks = hooks;
  }

  async executeQuery<R>(query: CompiledQuery & Partial<RepeatedQuery>): Promise<QueryResult<R>> {
    const { sql, parameters, rows } = query;
    let isWrite = false;
    const result = await retryWhileBusy(() => {
      if (STEPPED.test(sql)) return this.#runToEnd<R>(sql);
      const statement = this.#prepare(sql);
      const result = rows === undefined ? run<R>(statement, parameters) : runEach<R>(statement, rows);
      // SQLite treats 'begin' and 'commit' as read-only.
      isWrite = !statement.readonly || !statement.reader;
      if (isWrite) this.#hooks.onWrite?.(sql);
      return result;
    });
    if (isWrite && !this.database.inTransaction) await this.#hooks.onCommit?.();
    return result;
  }

  #runToEnd<R>(sql: string): QueryResult<R> {
    this.database.exec(sql);
    return { rows: [] };
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.database.prepare(sql).iterate(parameters)) yield { rows: [row as R] };
  }

  #prepare(sql: string): Database.Statement {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
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

/** Only in a transaction, which has the write lock: it is never repeated because the database is busy. */
function runEach<R>(statement: Database.Statement, rows: RepeatedQuery['rows']): QueryResult<R> {
  let changes = 0;
  for (const row of rows) changes += statement.run(row).changes;
  return { rows: [], numAffectedRows: BigInt(changes) };
}

/**
 * Queries are synchronous, so one connection is mostly enough; more are opened while transactions run. Their number needs
 * no limit: it cannot exceed the number of concurrent transactions.
 */
class SqliteDriver implements Driver {
  readonly #open: () => Database.Database;
  readonly #hooks: WriteHooks;
  readonly #free: SqliteConnection[] = [];
  readonly #all: SqliteConnection[] = [];

  constructor(open: () => Database.Database, hooks: WriteHooks) {
    this.#open = open;
    this.#hooks = hooks;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    const free = this.#free.pop();
    if (free) return free;
    const connection = new SqliteConnection(this.#open(), this.#hooks);
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
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (connection.database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    for (const { database } of this.#all) database.close();
  }
}

export function nonBlockingSqlite(open: () => Database.Database, hooks: WriteHooks = {}): Dialect {
  return {
    createDriver: () => new SqliteDriver(open, hooks),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}
