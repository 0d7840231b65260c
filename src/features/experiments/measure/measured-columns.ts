/** What everybody did after the exposure, and before it: one column by actor for each, whatever metrics share it. */
import type { MeasuredEntity, MetricQuestion } from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';
import type { EntityRows } from './entity-rows.ts';
import { type ExperimentRows, MAX_VALUE } from './experiment-rows.ts';
import { bitOf, entityIdentity, numberKey } from './metric-plan.ts';
import { countDifferent } from './unique-counts.ts';

interface MeasuredPair {
  after: Float64Array;
  /** Null where the past is not measured. */
  before: Float64Array | null;
  /** Events after the exposure without a number that counts; null where no number is read. */
  ignored: Float64Array | null;
}

type Times = Pick<MetricQuestion, 'windowMs' | 'lookbackMs'>;

export class MeasuredColumns {
  readonly #rows: ExperimentRows;
  readonly #byEntity: EntityRows;
  readonly #exposures: ActorExposures;
  readonly #until: number;
  readonly #known = new Map<string, Promise<MeasuredPair>>();

  /** Events before `until` count, and later ones where there is a window. */
  constructor(rows: ExperimentRows, byEntity: EntityRows, exposures: ActorExposures, until: number) {
    this.#rows = rows;
    this.#byEntity = byEntity;
    this.#exposures = exposures;
    this.#until = until;
  }

  get(measured: MeasuredEntity, { windowMs, lookbackMs }: Times): Promise<MeasuredPair> {
    const key = JSON.stringify([entityIdentity(measured.entity), measured.measure, windowMs, lookbackMs]);
    const known = this.#known.get(key) ?? this.#measure(measured, { windowMs, lookbackMs });
    this.#known.set(key, known);
    return known;
  }

  async #measure({ entity, measure }: MeasuredEntity, times: Times): Promise<MeasuredPair> {
    const { actors } = this.#exposures;
    const numbers = measure.kind === 'count' ? null : (this.#rows.numbers.get(numberKey(measure)) ?? null);
    const bit = bitOf(this.#rows.plan, entity);
    if (measure.kind === 'unique') return this.#countDifferent(bit, times, numbers ?? new Float64Array(0));
    const after = new ActorValues(measure.kind, actors);
    const before = times.lookbackMs === null ? null : new ActorValues(measure.kind, actors);
    const ignored = numbers === null ? null : new Float64Array(actors);
    if (numbers === null) await this.#count(bit, times, after.values, before?.values ?? null);
    else
      await this.#eachSide(bit, times, (row, who, isAfter) => {
        const number = numbers[row] as number;
        if (Math.abs(number) < MAX_VALUE) (isAfter ? after : before)?.add(who, number);
        else if (isAfter && ignored !== null) (ignored[who] as number)++;
      });
    return { after: after.result(), before: before?.result() ?? null, ignored };
  }

  async #countDifferent(bit: number, times: Times, numbers: Float64Array): Promise<MeasuredPair> {
    const { actors } = this.#exposures;
    const [after, before]: [number[], number[]] = [[], []];
    await this.#eachSide(bit, times, (row, _, isAfter) => {
      if (Math.abs(numbers[row] as number) < MAX_VALUE) (isAfter ? after : before).push(row);
    });
    const { actor } = this.#rows;
    return {
      after: await countDifferent(after, actor, numbers, actors),
      before: times.lookbackMs === null ? null : await countDifferent(before, actor, numbers, actors),
      ignored: null,
    };
  }

  /** The most frequent kind, and the one with the most rows. */
  async #count(bit: number, times: Times, after: Float64Array, before: Float64Array | null): Promise<void> {
    const { actor, key, encoding } = this.#rows;
    const { since } = this.#exposures;
    const { windowMs, until, lookbackMs } = this.#limits(times);
    const unit = 1 / encoding.base;
    await this.#byEntity.visit(bit, (order, from, to, bits) => {
      for (let position = from; position < to; position++) {
        const row = order[position] as number;
        const who = actor[row] as number;
        const exposedAt = since[who] as number;
        const at = encoding.from + ((key[row] as number) - bits) * unit;
        // Those who do not count have NaN, which is neither before nor after anything.
        if (at >= exposedAt) {
          if (at < exposedAt + windowMs && at < until) (after[who] as number)++;
        } else if (before !== null && at >= exposedAt - lookbackMs) (before[who] as number)++;
      }
    });
  }

  async #eachSide(
    bit: number,
    times: Times,
    add: (row: number, actor: number, isAfter: boolean) => void,
  ): Promise<void> {
    const { actor, key, encoding } = this.#rows;
    const { since } = this.#exposures;
    const { windowMs, until, lookbackMs } = this.#limits(times);
    const unit = 1 / encoding.base;
    await this.#byEntity.visit(bit, (order, from, to, bits) => {
      for (let position = from; position < to; position++) {
        const row = order[position] as number;
        const who = actor[row] as number;
        const exposedAt = since[who] as number;
        const at = encoding.from + ((key[row] as number) - bits) * unit;
        if (at >= exposedAt) {
          if (at < exposedAt + windowMs && at < until) add(row, who, true);
        } else if (at >= exposedAt - lookbackMs) add(row, who, false);
      }
    });
  }

  #limits({ windowMs, lookbackMs }: Times): { windowMs: number; until: number; lookbackMs: number } {
    return {
      windowMs: windowMs ?? Number.POSITIVE_INFINITY,
      until: windowMs === null ? this.#until : Number.POSITIVE_INFINITY,
      lookbackMs: lookbackMs ?? 0,
    };
  }
}

/** The value of every actor, from their events in any order. */
class ActorValues {
  readonly values: Float64Array;
  readonly #kind: MeasuredEntity['measure']['kind'];
  /** How many numbers each has; only for averages. */
  readonly #counts: Int32Array | null;

  constructor(kind: MeasuredEntity['measure']['kind'], actors: number) {
    this.#kind = kind;
    this.values = new Float64Array(actors);
    if (kind === 'min' || kind === 'max') this.values.fill(Number.NaN);
    this.#counts = kind === 'avg' ? new Int32Array(actors) : null;
  }

  add(actor: number, number: number): void {
    const { values } = this;
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
  result(): Float64Array {
    const [values, counts] = [this.values, this.#counts];
    if (counts !== null) return values.map((sum, actor) => sum / Math.max(1, counts[actor] as number));
    return this.#kind === 'min' || this.#kind === 'max' ? values.map((one) => (Number.isNaN(one) ? 0 : one)) : values;
  }
}
