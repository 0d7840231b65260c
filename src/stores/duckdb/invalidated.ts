/**
 * DuckDB has given up on its file in memory, for example after a checkpoint failed on a full disk: every further call
 * fails until the store is closed and opened again. What was committed is safe; what was not is replayed from the log.
 */
export class EventStoreInvalidated extends Error {
  constructor(cause: unknown) {
    super(`The event store must be opened again: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'EventStoreInvalidated';
  }
}

const FATAL = /^(FATAL|INTERNAL) Error|database has been invalidated/i;

export const isFatal = (error: unknown): boolean => error instanceof Error && FATAL.test(error.message);

/** Runs `work`; tells the owner by type when the engine behind it is lost. */
export async function wrapFatalErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isFatal(error) ? new EventStoreInvalidated(error) : error;
  }
}
