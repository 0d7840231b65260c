import type { MeasuredEntity } from '../rules/experiment-question.ts';

type Kind = MeasuredEntity['measure']['kind'];

/** The value of every actor, from their events in any order. */
export class MeasuredColumn {
  readonly #kind: Kind;
  readonly #values: Float64Array;
  /** How many numbers each has; only for averages. */
  readonly #counts: Int32Array | null;

  constructor(kind: Kind, actors: number) {
    this.#kind = kind;
    this.#values = new Float64Array(actors);
    if (kind === 'min' || kind === 'max') this.#values.fill(Number.NaN);
    this.#counts = kind === 'avg' ? new Int32Array(actors) : null;
  }

  add(actor: number, number: number): void {
    const values = this.#values;
    const before = values[actor] as number;
    switch (this.#kind) {
      case 'min':
        if (!(before <= number)) values[actor] = number;
        break;
      case 'max':
        if (!(before >= number)) values[actor] = number;
        break;
      default:
        values[actor] = before + number;
        if (this.#counts !== null) (this.#counts[actor] as number)++;
    }
  }

  /** 0 for those without a number. */
  values(): Float64Array {
    const [values, counts] = [this.#values, this.#counts];
    if (counts !== null) return values.map((sum, actor) => sum / Math.max(1, counts[actor] as number));
    return this.#kind === 'min' || this.#kind === 'max' ? values.map((one) => (Number.isNaN(one) ? 0 : one)) : values;
  }
}
