import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  StatementType,
} from '@duckdb/node-api';
import type { ColumnTable, SqlRow, SqlValue } from '../events/event-store.ts';
import { readColumns } from './column-reader.ts';
import { toSqlRows } from './values.ts';

/**
 * A few connections for questions, apart from the one that writes: each sees what was committed when its statement
 * began. A running statement occupies one of Node's four background threads; the bound leaves some for writing.
 */
export class QueryConnections {
  readonly #free: DuckDBConnection[];
  readonly #all: readonly DuckDBConnection[];
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];

  private constructor(connections: readonly DuckDBConnection[]) {
    this.#all = connections;
    this.#free = [...connections];
  }

  static async open(instance: DuckDBInstance, count: number): Promise<QueryConnections> {
    return new QueryConnections(await Promise.all(Array.from({ length: count }, () => instance.connect())));
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#ask(sql, values, toSqlRows, signal);
  }

  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#ask(sql, values, readColumns, signal);
  }

  /** Those who come first are served first; whoever's signal is aborted leaves the line, or is interrupted. */
  async #ask<T>(
    sql: string,
    values: readonly SqlValue[],
    read: (result: DuckDBResult) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const connection = await this.#take(signal);
    const interruption = signal && interruptOn(signal, connection);
    try {
      const statement = await connection.prepare(sql);
      try {
        signal?.throwIfAborted();
        return await read(await runReadOnly(statement, values));
      } finally {
        statement.destroySync();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      interruption?.end();
      this.#giveBack(connection);
    }
  }

  /** Waits for the questions that run or wait. */
  async close(): Promise<void> {
    const connections = await Promise.all(this.#all.map(() => this.#take()));
    for (const connection of connections) connection.closeSync();
  }

  async #take(signal?: AbortSignal): Promise<DuckDBConnection> {
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

  #giveBack(connection: DuckDBConnection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
  }
}

const INTERRUPT_INTERVAL_MS = 20;

/** Again and again until it has ended: a word that comes just before the statement begins to run is not heard. */
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
    throw new Error(`Only statements that read are run here, not ${StatementType[statement.statementType]}.`);
  }
  values.forEach((value, i) => {
    // Left to itself the driver makes a 128-bit number of it, which many functions do not take.
    if (typeof value === 'bigint') statement.bindBigInt(i + 1, value);
    else statement.bindValue(i + 1, value);
  });
  return statement.run();
}
