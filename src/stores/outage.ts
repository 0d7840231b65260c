import { Failure } from '../core/errors.ts';

/**
 * Whether an error is about a store and not about what was to be stored: the disk is full, the file cannot be reached,
 * the engine has given up. Such errors go away; the same work is tried again until they do.
 */
const SQLITE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
const DUCKDB =
  /^(IO|FATAL|INTERNAL|Out of Memory|Connection|TransactionContext|Interrupt) Error|database has been invalidated|must be opened again/i;

/** Chunks that were in each other's way too often: 40001, 40P01. */
const POSTGRES = /^40(001|P01)$/;

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Failure) return error.kind === 'unavailable';
  const { code } = error as { code?: unknown };
  return (
    (typeof code === 'string' && (SQLITE.test(code) || POSTGRES.test(code) || code === 'ENOSPC')) ||
    DUCKDB.test(error.message)
  );
}

/** The engine of events had no room for what it was asked to do. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /^Out of Memory Error/i.test(error.message);
