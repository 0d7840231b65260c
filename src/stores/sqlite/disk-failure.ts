import { Failure } from '../../core/errors.ts';

/** Seconds after which a refused sender should try again: long enough for a few rounds of processing. */
const RETRY_AFTER_SECONDS = 2;

export const unavailable = (detail: string, cause?: unknown): Failure =>
  new Failure('unavailable', detail, { code: 'server_error', retryAfter: RETRY_AFTER_SECONDS, cause });

/** SQLite's own word for what went wrong (`SQLITE_FULL`, `SQLITE_IOERR_WRITE`, …), or '' for any other error. */
function sqliteCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A write that the disk refused, said so that an operator knows what to do and a sender knows to come back. */
export function diskFailure(error: unknown): Failure {
  const code = sqliteCode(error);
  if (code === 'SQLITE_FULL') {
    return unavailable(
      'The disk that holds the ingest log is full; events are accepted again once there is room.',
      error,
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return unavailable(`The disk that holds the ingest log refused a write (${code}).`, error);
  }
  return unavailable(`The ingest log could not be written (${code || String(error)}).`, error);
}

export const isCorruption = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
