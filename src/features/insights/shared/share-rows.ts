import { inBatches } from '../../../lib/in-batches.ts';
import type { UuidWords } from '../../../stores/events/event-store.ts';
import { type ActorPart, ROW_BATCH_SIZE } from './actor-rows.ts';

/** Columns of numbers, and ids if their order matters. */
export interface SharedRows {
  actor: Int32Array;
  key: Float64Array;
  uuids?: UuidWords;
}

/**
 * Copies the rows of some of the actors into memory that threads share. Only these: shared memory is not counted by the
 * garbage collector, which frees it late.
 */
export async function shareRows<R extends SharedRows>(rows: R, { bits, value }: ActorPart): Promise<R> {
  const mask = (1 << bits) - 1;
  const { actor, key, uuids } = rows;
  let count = 0;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) if (((actor[row] as number) & mask) === value) count++;
  });
  const words = uuids?.words;
  const shared = {
    actor: new Int32Array(new SharedArrayBuffer(count * 4)),
    key: new Float64Array(new SharedArrayBuffer(count * 8)),
    words: new BigUint64Array(new SharedArrayBuffer(words === undefined ? 0 : count * 16)),
  };
  let next = 0;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      if (((actor[row] as number) & mask) !== value) continue;
      shared.actor[next] = actor[row] as number;
      shared.key[next] = key[row] as number;
      if (words !== undefined) {
        shared.words[next * 2] = words[row * 2] as bigint;
        shared.words[next * 2 + 1] = words[row * 2 + 1] as bigint;
      }
      next++;
    }
  });
  const ids = uuids === undefined ? {} : { uuids: { ...uuids, words: shared.words } };
  return { ...rows, actor: shared.actor, key: shared.key, ...ids };
}
