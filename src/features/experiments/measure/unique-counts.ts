import { inBatches } from '../../../lib/in-batches.ts';
import { ACTOR_BATCH_SIZE, actorStarts, reorderColumn, rowOrder } from '../../insights/shared/actor-rows.ts';

/** How many different numbers each actor has in these rows. */
export async function countDifferent(
  rows: readonly number[],
  actor: Int32Array,
  numbers: Float64Array,
  actors: number,
): Promise<Float64Array> {
  const chosen = { rows: Int32Array.from(rows) };
  const own = await reorderColumn(chosen, actor);
  const starts = await actorStarts(own);
  const sorted = await reorderColumn({ rows: await rowOrder(own, starts) }, await reorderColumn(chosen, numbers));
  const counts = new Float64Array(actors);
  await inBatches(starts.length - 1, ACTOR_BATCH_SIZE, (from, to) => {
    for (let who = from; who < to; who++) counts[who] = differentIn(sorted.subarray(starts[who], starts[who + 1]));
  });
  return counts;
}

function differentIn(numbers: Float64Array): number {
  numbers.sort();
  let different = 0;
  for (let at = 0; at < numbers.length; at++) if (at === 0 || numbers[at] !== numbers[at - 1]) different++;
  return different;
}
