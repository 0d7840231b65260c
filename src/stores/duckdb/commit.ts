import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';

const POLL_MS = 1;
/** What is not done by then takes long. */
const RARE_POLL_MS = 10;
/**
 * Then the caller carries out what no thread of the engine has begun: they may all be busy with a long query, and about one
 * commit in a thousand is never begun, because none is woken for it.
 */
const BEGIN_WITHIN_MS = 60;

/** The journal of the file that a connection writes to. */
const journals = new WeakMap<DuckDBConnection, string>();

/** `commit` and `checkpoint` of this connection can tell from the journal whether they have begun. */
export function useJournal(connection: DuckDBConnection, path: string): void {
  journals.set(connection, path);
}

export const commit = (connection: DuckDBConnection): Promise<void> => runWithoutSpinning(connection, 'commit');

/** May fail while a query is reading what has changed since it began. */
export const checkpoint = (connection: DuckDBConnection): Promise<void> => runWithoutSpinning(connection, 'checkpoint');

/** Bytes that a checkpoint would put into the file. */
export const journalBytes = (connection: DuckDBConnection): number => {
  const path = journals.get(connection);
  return (path !== undefined && statSync(path, { throwIfNoEntry: false })?.size) || 0;
};

/**
 * Without wasting a core. `run` would wait in a loop that never sleeps while one of the engine's own threads writes and
 * syncs: half of a commit's CPU time on a fast disk, and a whole core for the seconds of a checkpoint.
 */
async function runWithoutSpinning(connection: DuckDBConnection, sql: 'commit' | 'checkpoint'): Promise<void> {
  const statement = await connection.prepare(sql);
  try {
    const before = journalBytes(connection);
    const since = performance.now();
    const pending = duckdb.pending_prepared(statement['prepared_statement']);
    while (isRunning(duckdb.pending_execute_check_state(pending))) {
      const isLate = performance.now() - since > BEGIN_WITHIN_MS;
      // Both write to the journal first.
      if (isLate && journalBytes(connection) === before) break;
      await sleep(isLate ? RARE_POLL_MS : POLL_MS);
    }
    // The state of a statement that has ended is ERROR also where there was none. Executing one that has failed would
    // report another kind of error, with this one in its text.
    const error = duckdb.pending_error(pending);
    if (error !== '') throw new Error(error);
    await duckdb.execute_pending(pending);
  } finally {
    statement.destroySync();
  }
}

const isRunning = (state: duckdb.PendingState): boolean =>
  state !== duckdb.PendingState.RESULT_READY && state !== duckdb.PendingState.ERROR;
