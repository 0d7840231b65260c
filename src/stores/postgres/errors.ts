/** Classifies PostgreSQL's errors: unavailable, worth a retry, or a bug. */
import { unavailable } from '../unavailable.ts';

/** PostgreSQL's SQLSTATE or the operating system's code; '' for other errors. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Two chunks inserted the same row; a retry finds it. */
const CONCURRENT_INSERT_CONSTRAINTS = new Set([
  'seen_events_pk',
  'persons_uuid_key',
  'person_distinct_ids_once',
  'group_types_pk',
  'group_types_once',
]);

/**
 * The transaction conflicted with another and can be retried: 40001 (serialization), 40P01 (deadlock), a concurrent
 * insert, or a table that a newer version has just changed.
 */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === '40001' || code === '40P01' || isOutdatedPlan(error)) return true;
  return code === '23505' && CONCURRENT_INSERT_CONSTRAINTS.has(String((error as { constraint?: unknown }).constraint));
}

/**
 * The server is unreachable, starting, stopping or out of resources: 08 connection, 53 resources, 57P0x shutdown, 57014
 * statement timeout, 25P03 idle transaction, 58 operating system, 25006 read-only (a standby).
 */
const LOST_CODES = /^(08|53|58|57P0|57014|25P03|25006|E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN))/;
/** Errors of the driver, which have no code. */
const LOST_MESSAGES =
  /^Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed/;

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return LOST_CODES.test(codeOf(error)) || LOST_MESSAGES.test(error.message);
}

/** Throws `unavailable` for a lost connection, and other errors as they are. */
export function rethrowConnectionLoss(error: unknown): never {
  if (!isConnectionLost(error)) throw error;
  throw unavailable(`The database cannot be reached (${codeOf(error) || String(error)}).`, error);
}

/** A prepared statement is outdated because a newer version has changed the table. */
export const isOutdatedPlan = (error: unknown): boolean => codeOf(error) === '0A000';
