/**
 * The rows of an experiment by what they are: metrics that need no order of events read only the rows of their entities,
 * however many others there are.
 */
import { createPause, inBatches } from '../../../lib/in-batches.ts';
import { ROW_BATCH_SIZE } from '../../insights/shared/actor-rows.ts';
import type { ExperimentRows } from './experiment-rows.ts';

/** Reads the positions from `from` to before `to` of `order`; `bits` is what all of these rows are. */
type VisitRows = (order: Int32Array, from: number, to: number, bits: number) => void;

const KNOWN = new WeakMap<ExperimentRows, Promise<EntityRows>>();

export class EntityRows {
  readonly #order: Int32Array;
  /** What rows are → the first position; one more for the end. */
  readonly #starts: Int32Array;

  /** A course over time asks for the same rows again and again. */
  static of(rows: ExperimentRows): Promise<EntityRows> {
    const known = KNOWN.get(rows) ?? EntityRows.#group(rows);
    KNOWN.set(rows, known);
    return known;
  }

  static async #group({ actor, key, encoding, plan }: ExperimentRows): Promise<EntityRows> {
    const starts = new Int32Array(2 ** plan.entities.length + 1);
    const own = new Uint16Array(actor.length);
    await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
      for (let row = from; row < to; row++) {
        const whole = key[row] as number;
        const bits = whole - Math.floor(whole / encoding.base) * encoding.base;
        own[row] = bits;
        (starts[bits + 1] as number)++;
      }
    });
    for (let bits = 1; bits < starts.length; bits++) (starts[bits] as number) += starts[bits - 1] as number;
    const [order, next] = [new Int32Array(actor.length), starts.slice()];
    await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
      for (let row = from; row < to; row++) order[(next[own[row] as number] as number)++] = row;
    });
    return new EntityRows(order, starts);
  }

  private constructor(order: Int32Array, starts: Int32Array) {
    this.#order = order;
    this.#starts = starts;
  }

  /** All rows with this bit. */
  async visit(bit: number, visit: VisitRows): Promise<void> {
    const pause = createPause();
    for (let bits = bit; bits < this.#starts.length - 1; bits++) {
      if ((bits & bit) === 0) continue;
      const end = this.#starts[bits + 1] as number;
      for (let from = this.#starts[bits] as number; from < end; from += ROW_BATCH_SIZE) {
        visit(this.#order, from, Math.min(from + ROW_BATCH_SIZE, end), bits);
        await pause();
      }
    }
  }
}
