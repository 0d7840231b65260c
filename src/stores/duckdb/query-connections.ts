import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  StatementType,
} from '@duckdb/node-api';
import type { ColumnTable, SqlRow, SqlValue } from '../event-store.ts';
import { readColumns } from './column-reader.ts';
import { plainRows } from './values.ts';

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

  query(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#ask(sql, values, plainRows);
  }

  columns(sql: string, values: readonly SqlValue[]): Promise<ColumnTable> {
    return this.#ask(sql, values, readColumns);
  }

  async #ask<T>(sql: string, values: readonly SqlValue[], read: (result: DuckDBResult) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      const statement = await connection.prepare(sql);
      try {
        return await read(await runReadOnly(statement, values));
      } finally {
        statement.destroySync();
      }
    } finally {
      this.#giveBack(connection);
    }
  }

  /** Waits for the questions that run or wait. */
  async close(): Promise<void> {
    const connections = await Promise.all(this.#all.map(() => this.#take()));
    for (const connection of connections) connection.closeSync();
  }

  #take(): Promise<DuckDBConnection> {
    const connection = this.#free.pop();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(connection: DuckDBConnection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
  }
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
