import type { Failure } from '../../core/errors.ts';
import { unavailable } from '../unavailable.ts';

/** A failed write, with what an operator needs to know. */
export function diskFailure(error: unknown): Failure {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return unavailable(
      'The disk of the ingest log is full. Events are accepted again once there is free space.',
      error,
    );
  }
  return unavailable(`The disk of the ingest log refused a write (${code || String(error)}).`, error);
}
