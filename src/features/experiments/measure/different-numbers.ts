import { inBatches } from '../../../lib/in-batches.ts';
import { ACTOR_BATCH_SIZE, actorStarts, reorderColumn, rowOrder } from '../../insights/shared/actor-rows.ts';

/** How many different numbers each actor has. */
export class DifferentNumbers {
  readonly #actors: number[] = [];
  readonly #numbers: number[] = [];

  add(actor: number, number: number): void {
    this.#actors.push(actor);
    this.#numbers.push(number);
  }

  async count(actors: number): Promise<Float64Array> {
    const own = Int32Array.from(this.#actors);
    const starts = await actorStarts(own);
    const sorted = await reorderColumn({ rows: await rowOrder(own, starts) }, Float64Array.from(this.#numbers));
    const counts = new Float64Array(actors);
    await inBatches(starts.length - 1, ACTOR_BATCH_SIZE, (from, to) => {
      for (let who = from; who < to; who++) counts[who] = differentIn(sorted.subarray(starts[who], starts[who + 1]));
    });
    return counts;
  }
}

function differentIn(numbers: Float64Array): number {
  numbers.sort();
  let different = 0;
  for (let at = 0; at < numbers.length; at++) if (at === 0 || numbers[at] !== numbers[at - 1]) different++;
  return different;
}
