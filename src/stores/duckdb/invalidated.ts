/**
 * DuckDB has invalidated the database, for example after a failed checkpoint on a full disk: every call fails until the
 * store is reopened. Committed data is safe; the rest is replayed from the log.
 */
export class EventStoreInvalidated extends Error {
  constructor(cause: unknown) {
    super(`The event store must be opened again: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'EventStoreInvalidated';
  }
}

const FATAL = /^(FATAL|INTERNAL) Error|database has been invalidated/i;

export const isFatal = (error: unknown): boolean => error instanceof Error && FATAL.test(error.message);

/** Turns fatal errors of the engine into `EventStoreInvalidated`. */
export async function wrapFatalErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isFatal(error) ? new EventStoreInvalidated(error) : error;
  }
}
