import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  StatementType,
} from '@duckdb/node-api';
import type { PartReader, SqlStatement } from '../events/event-changes.ts';
import type { ColumnTable, SqlRow, SqlValue } from '../events/event-store.ts';
import { isOutOfMemory } from '../outage.ts';
import { readColumns, readParts } from './column-reader.ts';
import { ScanMemory } from './scan-memory.ts';
import { toSqlRows } from './values.ts';

/**
 * Connections for queries, apart from the writer's. A running statement occupies one of Node's four background threads;
 * the limit leaves some for writing.
 */
export class QueryConnections {
  readonly #free: DuckDBConnection[];
  readonly #all: readonly DuckDBConnection[];
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];
  readonly #memory: ScanMemory;
  /** Other work than queries that may need all of the memory. */
  #others = 0;

  private constructor(connections: readonly DuckDBConnection[], memory: ScanMemory) {
    this.#all = connections;
    this.#free = [...connections];
    this.#memory = memory;
  }

  static async open(instance: DuckDBInstance, count: number, memoryLimit: string): Promise<QueryConnections> {
    const connections = await Promise.all(Array.from({ length: count }, () => instance.connect()));
    return new QueryConnections(connections, new ScanMemory(await instance.connect(), memoryLimit));
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#use((connection) => run(connection, { sql, values }, toSqlRows, signal), signal);
  }

  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#use((connection) => run(connection, { sql, values }, readColumns, signal), signal);
  }

  /** In one transaction, so that all statements see the same data. */
  queryTogether(statements: readonly SqlStatement[], signal?: AbortSignal): Promise<ColumnTable[]> {
    const readAll = async (connection: DuckDBConnection): Promise<ColumnTable[]> => {
      await connection.run('begin transaction read only');
      return readTables(connection, statements, signal);
    };
    return this.#use(readAll, signal, endTransaction);
  }

  /** The same; then the rows of `parts` are handed over part by part. While they are, the next statement runs. */
  queryParts<T extends PartReader>(
    statements: readonly SqlStatement[],
    parts: readonly SqlStatement[],
    begin: (tables: readonly ColumnTable[]) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    let lowered: Promise<void> | undefined;
    const readAll = async (connection: DuckDBConnection): Promise<T> => {
      await connection.run('begin transaction read only');
      const tables = await readTables(connection, statements, signal);
      await lowered;
      if (tables.some(({ rowCount }) => rowCount > MAX_LOW_ROWS)) await this.#memory.restore();
      const reader = await readInTurn(connection, parts, () => begin(tables), signal);
      signal?.throwIfAborted();
      return reader;
    };
    const readWithLittle = async (connection: DuckDBConnection): Promise<T> => {
      // Others may need more memory. It takes some milliseconds, in which the first statements run.
      if (this.#isAlone()) lowered = this.#memory.lower();
      try {
        return await readAll(connection);
      } catch (error) {
        if (!isOutOfMemory(error) || !this.#memory.isLow) throw error;
        await endTransaction(connection);
        await this.#memory.restore();
        return readAll(connection);
      }
    };
    const finish = async (connection: DuckDBConnection): Promise<void> => {
      await endTransaction(connection);
      this.#memory.restoreLater();
    };
    return this.#use(readWithLittle, signal, finish, true);
  }

  /**
   * First come, first served. An aborted query leaves the queue or is interrupted; `finish` never is, so that the
   * connection is as it was.
   */
  async #use<T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    signal?: AbortSignal,
    finish?: (connection: DuckDBConnection) => Promise<void>,
    needsLittle = false,
  ): Promise<T> {
    const connection = await this.#acquire(signal);
    const interruption = signal && interruptOn(signal, connection);
    try {
      if (!needsLittle || !this.#isAlone()) await this.#memory.restore();
      return await work(connection);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      interruption?.end();
      await finish?.(connection);
      this.#release(connection);
    }
  }

  /** Whether nothing runs but the statement of one connection, and writes of events. */
  #isAlone(): boolean {
    return this.#others === 0 && this.#free.length === this.#all.length - 1;
  }

  /** For what is no query, but may need as much memory: scans do not lower the limit meanwhile. */
  async withUsualMemory<T>(work: () => Promise<T>): Promise<T> {
    this.#others++;
    try {
      await this.#memory.restore();
      return await work();
    } finally {
      this.#others--;
    }
  }

  /** Tells later whether scans have lowered the limit meanwhile. */
  watchMemory(): () => boolean {
    return this.#memory.watch();
  }

  /** Waits for running and queued queries. */
  async close(): Promise<void> {
    const connections = await Promise.all(this.#all.map(() => this.#acquire()));
    for (const connection of connections) connection.closeSync();
    await this.#memory.close();
  }

  async #acquire(signal?: AbortSignal): Promise<DuckDBConnection> {
    signal?.throwIfAborted();
    const connection = this.#free.pop();
    if (connection !== undefined) return connection;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal?.reason);
      };
      const take = (given: DuckDBConnection): void => {
        signal?.removeEventListener('abort', leave);
        resolve(given);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }

  #release(connection: DuckDBConnection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
  }
}

/** With more in temporary tables, joins need more memory than `ScanMemory` leaves. */
const MAX_LOW_ROWS = 300_000;

/** Nothing was written. There is no transaction if not even its beginning was reached. */
const endTransaction = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run('rollback').catch(() => undefined);
};

async function readTables(
  connection: DuckDBConnection,
  statements: readonly SqlStatement[],
  signal?: AbortSignal,
): Promise<ColumnTable[]> {
  const tables: ColumnTable[] = [];
  for (const statement of statements) {
    if (statement.table === undefined) tables.push(await run(connection, statement, readColumns, signal));
    else await createTable(connection, statement, statement.table, signal);
  }
  return tables;
}

/** Temporary tables are of this connection alone, and end with its transaction, though that is read-only. */
async function createTable(
  connection: DuckDBConnection,
  { sql, values }: SqlStatement,
  table: string,
  signal?: AbortSignal,
): Promise<void> {
  const statement = await connection.prepare(`create temporary table ${table} as (${sql})`);
  try {
    signal?.throwIfAborted();
    bindValues(statement, values);
    await statement.run();
  } finally {
    statement.destroySync();
  }
}

/**
 * One result is read while the engine makes the next one, and no more: results are large. `begin` is called once the first
 * statement runs, so that what the reader does then delays none.
 */
async function readInTurn<T extends PartReader>(
  connection: DuckDBConnection,
  statements: readonly SqlStatement[],
  begin: () => T,
  signal?: AbortSignal,
): Promise<T> {
  const startAt = async (at: number): Promise<RunningStatement | undefined> => {
    const statement = statements[at];
    return statement && start(connection, statement, signal);
  };
  let running = await startAt(0);
  try {
    const reader = begin();
    for (let at = 0; running !== undefined; at++) {
      const result = await running.result;
      running = undefined;
      running = await startAt(at + 1);
      await readParts(result, (part) => reader.add(part, at));
    }
    return reader;
  } finally {
    // The connection is not free before.
    await running?.result.catch(() => undefined);
  }
}

async function run<T>(
  connection: DuckDBConnection,
  statement: SqlStatement,
  read: (result: DuckDBResult) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { result } = await start(connection, statement, signal);
  return read(await result);
}

interface RunningStatement {
  result: Promise<DuckDBResult>;
}

/** Resolves when the statement runs. */
async function start(
  connection: DuckDBConnection,
  { sql, values }: SqlStatement,
  signal?: AbortSignal,
): Promise<RunningStatement> {
  const statement = await connection.prepare(sql);
  const execute = async (): Promise<DuckDBResult> => {
    try {
      signal?.throwIfAborted();
      return await runReadOnly(statement, values);
    } finally {
      statement.destroySync();
    }
  };
  const result = execute();
  // It may fail before anybody waits for it.
  result.catch(() => undefined);
  return { result };
}

const INTERRUPT_INTERVAL_MS = 20;

/** Repeats until the statement ends: an interrupt just before it starts has no effect. */
function interruptOn(signal: AbortSignal, connection: DuckDBConnection): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    timer = setTimeout(interrupt, INTERRUPT_INTERVAL_MS);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return {
    end() {
      signal.removeEventListener('abort', interrupt);
      clearTimeout(timer);
    },
  };
}

const READ_ONLY: ReadonlySet<StatementType> = new Set([StatementType.SELECT, StatementType.EXPLAIN]);

async function runReadOnly(statement: DuckDBPreparedStatement, values: readonly SqlValue[]): Promise<DuckDBResult> {
  if (!READ_ONLY.has(statement.statementType)) {
    throw new Error(`Only read-only statements are allowed, not ${StatementType[statement.statementType]}.`);
  }
  bindValues(statement, values);
  return statement.run();
}

export function bindValues(statement: DuckDBPreparedStatement, values: readonly SqlValue[]): void {
  values.forEach((value, i) => {
    // By default the driver binds a 128-bit integer, which many functions do not accept.
    if (typeof value === 'bigint') statement.bindBigInt(i + 1, value);
    else statement.bindValue(i + 1, value);
  });
}
