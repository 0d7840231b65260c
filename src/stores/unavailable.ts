import { Failure } from '../core/errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** A store cannot be used right now. SDKs resend requests that fail with this. */
export const unavailable = (message: string, cause?: unknown): Failure =>
  new Failure('unavailable', message, { code: 'server_error', retryAfter: RETRY_AFTER_SECONDS, cause });
