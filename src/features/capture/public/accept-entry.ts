import { Failure } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { NewLogEntry } from '../../../stores/ingest/ingest-log.ts';
import type { CaptureDeps } from './deps.ts';

/**
 * Writes the entry down. Where that fails, the caller learns to come back, in words that the wire knows; the reason is
 * for the operator and goes to the log with the failure.
 */
export async function acceptEntry(
  { ingestion }: Pick<CaptureDeps, 'ingestion'>,
  entry: NewLogEntry,
  subjects: readonly string[],
  events: readonly JsonObject[],
): Promise<void> {
  try {
    await ingestion.accept(entry, subjects, events);
  } catch (cause) {
    const retryAfter = (cause instanceof Failure ? cause.retryAfter : undefined) ?? RETRY_AFTER_SECONDS;
    throw new Failure('unavailable', UNABLE, { code: 'server_error', retryAfter, cause });
  }
}

const RETRY_AFTER_SECONDS = 2;
const UNABLE =
  'Unable to store some events. Please try again. If you are the owner of this app you can check the logs for ' +
  'further details.';
