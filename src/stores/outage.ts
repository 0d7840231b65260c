import { Failure } from '../core/errors.ts';

/**
 * Whether an error is about a store and not about what was to be stored: the disk is full, the file cannot be reached,
 * the engine has given up. Such errors go away; the same work is tried again until they do.
 */
const SQLITE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
const DUCKDB =
  /^(IO|FATAL|INTERNAL|Out of Memory|Connection|TransactionContext|Interrupt) Error|database has been invalidated|must be opened again/i;
/** What ClickHouse says of itself and not of the statement, in its own names (see `clickhouse/failure.ts`). */
const CLICKHOUSE = new RegExp(
  `^CLICKHOUSE_(${[
    ...['UNREACHABLE', 'NETWORK_ERROR', 'SOCKET_TIMEOUT', 'ALL_CONNECTION_TRIES_FAILED', 'TIMEOUT_EXCEEDED', 'ABORTED'],
    ...['MEMORY_LIMIT_EXCEEDED', 'CANNOT_ALLOCATE_MEMORY', 'NOT_ENOUGH_SPACE', 'TOO_MANY_PARTS', 'TABLE_IS_READ_ONLY'],
    ...['TOO_MANY_SIMULTANEOUS_QUERIES', 'NO_ZOOKEEPER', 'KEEPER_EXCEPTION', 'TOO_FEW_LIVE_REPLICAS', 'UNFINISHED'],
    ...['UNKNOWN_STATUS_OF_INSERT', 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', 'REPLICA_IS_NOT_IN_QUORUM'],
    ...['SERVER_OVERLOADED', 'QUERY_WAS_CANCELLED', 'ALL_REPLICAS_LOST', 'NO_ACTIVE_REPLICAS'],
  ].join('|')})$`,
);

/** Chunks that were in each other's way too often: 40001, 40P01. */
const POSTGRES = /^40(001|P01)$/;

const TRANSIENT = [SQLITE, POSTGRES, CLICKHOUSE, /^ENOSPC$/];

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Failure) return error.kind === 'unavailable';
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && TRANSIENT.some((one) => one.test(code))) || DUCKDB.test(error.message);
}

/** The engine of events had no room for what it was asked to do. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  (/^Out of Memory Error/i.test(error.message) || codeOf(error) === 'CLICKHOUSE_MEMORY_LIMIT_EXCEEDED');

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code;
