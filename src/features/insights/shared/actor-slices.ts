import { setImmediate as nextTurn } from 'node:timers/promises';

/** Events of one slice, about: a few hundred megabytes. */
const MAX_BATCH_EVENTS = 12_000_000;

export interface ActorBatch {
  at: number;
  count: number;
}

/**
 * Cuts the work on many events into slices of whole actors, so that the memory used depends on a slice and not on how
 * much happened; others get their turn between two of them.
 */
export async function* actorBatches(events: number, most = MAX_BATCH_EVENTS): AsyncGenerator<ActorBatch> {
  const count = Math.max(1, Math.ceil(events / most));
  for (let at = 0; at < count; at++) {
    yield { at, count };
    await nextTurn();
  }
}
