import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';

const POLL_MS = 1;
/**
 * Then the caller carries it out. It may still be waiting behind a long query; and about one commit in a thousand is never
 * begun, because the engine's thread is not woken for it.
 */
const MAX_POLLING_MS = 60;

/**
 * Commits without wasting a core. `run` would wait in a loop that never sleeps while one of the engine's own threads
 * writes and syncs: half of a commit's CPU time on a fast disk, and a whole core on a slow one.
 */
export async function commit(connection: DuckDBConnection): Promise<void> {
  const statement = await connection.prepare('commit');
  try {
    const pending = duckdb.pending_prepared(statement['prepared_statement']);
    const giveUpAt = performance.now() + MAX_POLLING_MS;
    while (isRunning(duckdb.pending_execute_check_state(pending)) && performance.now() < giveUpAt) await sleep(POLL_MS);
    // The state of a commit that has ended is ERROR also where there was none. Executing one that has failed would report
    // another kind of error, with this one in its text.
    const error = duckdb.pending_error(pending);
    if (error !== '') throw new Error(error);
    await duckdb.execute_pending(pending);
  } finally {
    statement.destroySync();
  }
}

const isRunning = (state: duckdb.PendingState): boolean =>
  state !== duckdb.PendingState.RESULT_READY && state !== duckdb.PendingState.ERROR;
