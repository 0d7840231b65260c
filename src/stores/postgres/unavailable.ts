import { Failure } from '../../core/errors.ts';

/** Every SDK sends again what was answered with this. */
export const unavailable = (message: string, cause?: unknown): Failure =>
  new Failure('unavailable', message, {
    code: 'server_error',
    retryAfter: 2,
    ...(cause === undefined ? {} : { cause }),
  });
