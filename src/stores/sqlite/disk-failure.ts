import type { Failure } from '../../core/errors.ts';
import { unavailable } from '../unavailable.ts';

/** SQLite's error code (`SQLITE_FULL`, `SQLITE_IOERR_WRITE`, …), or '' for other errors. */
function sqliteCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A failed write, with what an operator needs to know. */
export function diskFailure(error: unknown): Failure {
  const code = sqliteCode(error);
  if (code === 'SQLITE_FULL') {
    return unavailable(
      'The disk of the ingest log is full. Events are accepted again once there is free space.',
      error,
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return unavailable(`The disk of the ingest log refused a write (${code}).`, error);
  }
  return unavailable(`The ingest log could not be written (${code || String(error)}).`, error);
}

export const isCorruption = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
