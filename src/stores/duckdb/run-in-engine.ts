/**
 * Has the engine's own thread execute a statement, and asks now and then whether it is done. `run` would look for tasks
 * in a loop that never sleeps while that thread writes and syncs: half of a commit's CPU time on a fast disk, a whole core
 * on a slow one, and for seconds where a commit includes a checkpoint.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type { SqlValue } from '../events/event-store.ts';
import { bindValues } from './query-connections.ts';

const MIN_PAUSE_MS = 1;
/** What takes long is asked for less often. */
const MAX_PAUSE_MS = 10;
const PAUSES_PER_WAIT = 20;
/**
 * Then the caller carries the statement out. The engine's thread may be busy with something else; and rarely, about once
 * in a thousand commits, it is not woken for a task, and would never begin.
 */
const MAX_WAIT_MS = 150;
const MAX_WAIT_BEHIND_OTHERS_MS = 60;

export interface EngineUse {
  /** Whether something else may occupy the engine's thread. Then the caller executes the statement after a while. */
  isEngineBusy?: (() => boolean) | undefined;
}

export async function runInEngine(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
  use: EngineUse = {},
): Promise<void> {
  const statement = await connection.prepare(sql);
  try {
    bindValues(statement, values);
    await execute(statement, use);
  } finally {
    statement.destroySync();
  }
}

export const commit = (connection: DuckDBConnection, use?: EngineUse): Promise<void> =>
  runInEngine(connection, 'commit', [], use);

async function execute(statement: DuckDBPreparedStatement, { isEngineBusy = () => true }: EngineUse): Promise<void> {
  const pending = duckdb.pending_prepared(statement['prepared_statement']);
  const start = performance.now();
  let freeAt = start;
  while (isRunning(duckdb.pending_execute_check_state(pending))) {
    const now = performance.now();
    if (!isEngineBusy()) freeAt = now;
    if (now - start >= MAX_WAIT_MS || now - freeAt >= MAX_WAIT_BEHIND_OTHERS_MS) break;
    await sleep(Math.min(Math.max(MIN_PAUSE_MS, (now - start) / PAUSES_PER_WAIT), MAX_PAUSE_MS));
  }
  // The state of a commit that has ended is ERROR also where there was none. Executing one that has failed would report
  // another kind of error, with this one in its text.
  const error = duckdb.pending_error(pending);
  if (error !== '') throw new Error(error);
  await duckdb.execute_pending(pending);
}

const isRunning = (state: duckdb.PendingState): boolean =>
  state !== duckdb.PendingState.RESULT_READY && state !== duckdb.PendingState.ERROR;
