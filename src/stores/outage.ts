import { Failure } from '../core/errors.ts';

/**
 * Tells errors of a store (disk full, file unreachable or unreadable, engine stopped) from errors of the data. The former
 * are no fault of the events: the same work is retried until it succeeds, also where an operator has to repair something
 * first, such as a damaged page.
 */
const SQLITE = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
const DUCKDB =
  /^(IO|FATAL|INTERNAL|Out of Memory|Connection|TransactionContext|Interrupt) Error|database has been invalidated|must be opened again/i;
/** ClickHouse's error names (see `clickhouse/failure.ts`). */
const CLICKHOUSE = new RegExp(
  `^CLICKHOUSE_(${[
    ...['UNREACHABLE', 'NETWORK_ERROR', 'SOCKET_TIMEOUT', 'ALL_CONNECTION_TRIES_FAILED', 'TIMEOUT_EXCEEDED', 'ABORTED'],
    ...['MEMORY_LIMIT_EXCEEDED', 'CANNOT_ALLOCATE_MEMORY', 'NOT_ENOUGH_SPACE', 'TOO_MANY_PARTS', 'TABLE_IS_READ_ONLY'],
    ...['TOO_MANY_SIMULTANEOUS_QUERIES', 'NO_ZOOKEEPER', 'KEEPER_EXCEPTION', 'TOO_FEW_LIVE_REPLICAS', 'UNFINISHED'],
    ...['UNKNOWN_STATUS_OF_INSERT', 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', 'REPLICA_IS_NOT_IN_QUORUM'],
    ...['SERVER_OVERLOADED', 'QUERY_WAS_CANCELLED', 'ALL_REPLICAS_LOST', 'NO_ACTIVE_REPLICAS'],
  ].join('|')})$`,
);

/** Serialization failure and deadlock, after too many retries. */
const POSTGRES = /^40(001|P01)$/;

/** Of the file system, and a damaged ingest log. */
const SYSTEM = /^(ENOSPC|EIO|EDQUOT|EROFS|EMFILE|ENFILE|LOG_DAMAGED)$/;
/** PostgreSQL: out of disk, memory or connections; read errors and damaged pages; the server stops. */
const POSTGRES_SERVER = /^(53|57P|58|XX00[12])/;

const TRANSIENT = [SQLITE, POSTGRES, POSTGRES_SERVER, CLICKHOUSE, SYSTEM];

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Failure) return error.kind === 'unavailable';
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && TRANSIENT.some((one) => one.test(code))) || DUCKDB.test(error.message);
}

/** The event engine ran out of memory. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  (/^Out of Memory Error/i.test(error.message) || codeOf(error) === 'CLICKHOUSE_MEMORY_LIMIT_EXCEEDED');

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code;
