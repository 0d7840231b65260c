/** What PostgreSQL's errors mean: come back later, try again at once, or a fault of ours. */
import { Failure } from '../../core/errors.ts';

/** Seconds after which a refused sender should try again. */
const RETRY_AFTER_SECONDS = 2;

/** PostgreSQL's five characters, or the word of the operating system; '' for any other error. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Two chunks made the same thing at once: the second finds it when it looks again. */
const CONCURRENT_INSERT_CONSTRAINTS = new Set([
  'seen_events_pk',
  'persons_uuid_key',
  'person_distinct_ids_once',
  'group_types_pk',
  'group_types_once',
]);

/**
 * The transaction came into another's way, and is to be computed afresh: 40001 and 40P01 (deadlock), something that
 * another made first, or a table that has just been changed by a newer version.
 */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === '40001' || code === '40P01' || isOutdatedPlan(error)) return true;
  return code === '23505' && CONCURRENT_INSERT_CONSTRAINTS.has(String((error as { constraint?: unknown }).constraint));
}

/**
 * The server is not there, is starting or stopping, has no connection to spare or no room to write: 08 connection, 53
 * resources, 57P0x shutdown, 57014 an answer that took too long, 25P03 a transaction that stood still, 58 the
 * operating system, 25006 a server that only reads (a standby).
 */
const LOST_CODES = /^(08|53|58|57P0|57014|25P03|25006|E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN))/;
/** The driver has no codes for these. */
const LOST_MESSAGES =
  /^Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed/;

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return LOST_CODES.test(codeOf(error)) || LOST_MESSAGES.test(error.message);
}

/** Says of a lost connection that it will come back; anything else goes on as it is. */
export function rethrowConnectionLoss(error: unknown): never {
  if (!isConnectionLost(error)) throw error;
  throw new Failure('unavailable', `The database cannot be reached (${codeOf(error) || String(error)}).`, {
    code: 'server_error',
    retryAfter: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** A table has changed under a statement that was prepared before: a newer version has just been started. */
export const isOutdatedPlan = (error: unknown): boolean => codeOf(error) === '0A000';
