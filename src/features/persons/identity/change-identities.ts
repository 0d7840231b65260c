/**
 * Runs changes of person identities: a metadata transaction while the event store is at the same log position, then the
 * reassignment of events.
 *
 * A chunk of events is committed to the event store first. If the second commit fails, the chunk is processed again and
 * must give the same result, so persons must not change in between. The transaction holds the metadata write lock, so
 * the positions cannot diverge meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../core/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import { isPast, type LogProgress } from '../../../stores/ingest/log-progress.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';

/** The part of the event store that applies changes of persons. */
export interface EventReassigner {
  /** How far the log is stored in it. */
  progress(): Promise<LogProgress>;
  /** Applies pending reassignments; resolves when queries show them. */
  reassign(): Promise<void>;
}

export interface IdentityDeps {
  metadata: MetadataStore;
  reassigner: EventReassigner;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'warn'>;
}

/** How long a response waits for the reassignment, which continues in any case. */
const TIMEOUT_MS = 5000;

export async function changeIdentities<T>(deps: IdentityDeps, work: (store: MetadataStore) => Promise<T>): Promise<T> {
  const { metadata, reassigner, log } = deps;
  const result = await metadata.transaction(async (store) => {
    if (isPast(await reassigner.progress(), await store.personIdentities.progress())) throw eventStoreAhead();
    return work(store);
  });
  const reassigned = reassigner
    .reassign()
    .catch((err: unknown) => log.warn({ err }, 'events of changed persons will be reassigned later'));
  await Promise.race([reassigned, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  return result;
}

export const eventStoreAhead = (): Failure =>
  new Failure('unavailable', 'Events are being processed again after a failure. Try again in a moment.', {
    retryAfter: 2,
  });
