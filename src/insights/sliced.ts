import { setImmediate as nextTurn } from 'node:timers/promises';

/** Events of one slice, about. */
const SLICE_EVENTS = 300_000;

export interface Slice {
  at: number;
  count: number;
}

/**
 * Cuts the work on many events into slices of whole actors, so that the memory used depends on a slice and not on how
 * much happened; others get their turn between two of them.
 */
export async function* slicesOf(events: number): AsyncGenerator<Slice> {
  const count = Math.max(1, Math.ceil(events / SLICE_EVENTS));
  for (let at = 0; at < count; at++) {
    yield { at, count };
    await nextTurn();
  }
}
