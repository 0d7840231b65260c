/**
 * The frame around every change to who is who: a transaction of the relational shelf, at a moment when the event store
 * is level with it, and then the event store's turn to follow.
 *
 * Level matters. A chunk of events is committed to the event store first; should the second commit fail, the chunk is
 * computed again and must come out the same, so nobody may change persons in between. While the transaction holds the
 * shelf's write lock the two cannot drift apart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../core/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';

/** The event store, as far as it follows changes to persons. */
export interface EventReassigner {
  /** The log position up to which it has events. */
  position(): Promise<number>;
  /** Does what has been ordered; resolves when queries show it. */
  reassign(): Promise<void>;
}

export interface IdentityDeps {
  metadata: MetadataStore;
  reassigner: EventReassigner;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'warn'>;
}

/** So long an answer waits for the event store, which does the rest in any case. */
const TIMEOUT_MS = 5000;

export async function changeIdentities<T>(deps: IdentityDeps, work: (store: MetadataStore) => Promise<T>): Promise<T> {
  const { metadata, reassigner, log } = deps;
  const result = await metadata.transaction(async (store) => {
    if ((await reassigner.position()) > (await store.personIdentities.position())) throw eventStoreAhead();
    return work(store);
  });
  const followed = reassigner
    .reassign()
    .catch((err: unknown) => log.warn({ err }, 'the event store follows a change to persons later'));
  await Promise.race([followed, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  return result;
}

const eventStoreAhead = (): Failure =>
  new Failure('unavailable', 'Events are being processed again after a fault; try again in a moment.', {
    retryAfter: 2,
  });
