import { Failure } from '../../../core/errors.ts';

const RETRY_AFTER_SECONDS = 2;
const UNAVAILABLE =
  'Unable to store some events. Please try again. If you are the owner of this app you can check the logs for ' +
  'further details.';

/** The sender is told to retry in words that SDKs know; the reason is logged for the operator. */
export function eventsNotLogged(cause: unknown): Failure {
  const retryAfter = (cause instanceof Failure ? cause.retryAfter : undefined) ?? RETRY_AFTER_SECONDS;
  return new Failure('unavailable', UNAVAILABLE, { code: 'server_error', retryAfter, cause });
}
