/** What everybody did after the exposure, and before it: one column by actor for each, whatever metrics share it. */
import { eachInTurn } from '../../../lib/in-batches.ts';
import type { MeasuredEntity, MetricQuestion } from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';
import { DifferentNumbers } from './different-numbers.ts';
import type { ExperimentRows } from './experiment-rows.ts';
import { bitOf, entityIdentity, numberKey } from './metric-plan.ts';
import { MAX_VALUE } from './reading.ts';
import type { RowBlock } from './row-blocks.ts';

interface MeasuredPair {
  after: Float64Array;
  /** Null where the past is not measured. */
  before: Float64Array | null;
  /** Events after the exposure without a number that counts; null where no number is read. */
  ignored: Float64Array | null;
}

type Times = Pick<MetricQuestion, 'windowMs' | 'lookbackMs'>;

/** The same as numbers. */
interface Limits {
  windowMs: number;
  until: number;
  lookbackMs: number;
}

export class MeasuredColumns {
  readonly #rows: ExperimentRows;
  readonly #exposures: ActorExposures;
  readonly #until: number;
  readonly #known = new Map<string, Promise<MeasuredPair>>();

  /** Events before `until` count, and later ones where there is a window. */
  constructor(rows: ExperimentRows, exposures: ActorExposures, until: number) {
    this.#rows = rows;
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
    const bit = bitOf(this.#rows.plan, entity);
    if (measure.kind === 'unique') return this.#countDifferent(bit, times, numberKey(measure));
    const after = new ActorValues(measure.kind, actors);
    const before = times.lookbackMs === null ? null : new ActorValues(measure.kind, actors);
    const ignored = measure.kind === 'count' ? null : new Float64Array(actors);
    if (measure.kind === 'count') await this.#count(bit, times, after.values, before?.values ?? null);
    else
      await this.#eachNumber(bit, times, numberKey(measure), (who, number, isAfter) => {
        if (Math.abs(number) < MAX_VALUE) (isAfter ? after : before)?.add(who, number);
        else if (isAfter && ignored !== null) (ignored[who] as number)++;
      });
    return { after: after.result(), before: before?.result() ?? null, ignored };
  }

  async #countDifferent(bit: number, times: Times, key: string): Promise<MeasuredPair> {
    const { actors } = this.#exposures;
    const [after, before] = [new DifferentNumbers(), new DifferentNumbers()];
    await this.#eachNumber(bit, times, key, (who, number, isAfter) => {
      if (Math.abs(number) < MAX_VALUE) (isAfter ? after : before).add(who, number);
    });
    return {
      after: await after.count(actors),
      before: times.lookbackMs === null ? null : await before.count(actors),
      ignored: null,
    };
  }

  /** The most frequent kind, and the one with the most rows. */
  async #count(bit: number, times: Times, after: Float64Array, before: Float64Array | null): Promise<void> {
    const { since } = this.#exposures;
    const limits = this.#limits(times);
    // Without a lookback nothing is before.
    await eachInTurn(this.#rows.blocks.with(bit), (block) => countRows(block, since, limits, after, before ?? after));
  }

  async #eachNumber(
    bit: number,
    times: Times,
    key: string,
    add: (actor: number, number: number, isAfter: boolean) => void,
  ): Promise<void> {
    const { since } = this.#exposures;
    const { windowMs, until, lookbackMs } = this.#limits(times);
    const place = [...this.#rows.plan.numbers.keys()].indexOf(key);
    await eachInTurn(this.#rows.blocks.with(bit), ({ count, actor, at: happened, numbers }) => {
      const own = numbers[place];
      if (!own) return;
      for (let row = 0; row < count; row++) {
        const who = actor[row] as number;
        const at = happened[row] as number;
        const exposedAt = since[who] as number;
        if (at >= exposedAt) {
          if (at < exposedAt + windowMs && at < until) add(who, own[row] as number, true);
        } else if (at >= exposedAt - lookbackMs) add(who, own[row] as number, false);
      }
    });
  }

  #limits({ windowMs, lookbackMs }: Times): Limits {
    return {
      windowMs: windowMs ?? Number.POSITIVE_INFINITY,
      until: windowMs === null ? this.#until : Number.POSITIVE_INFINITY,
      lookbackMs: lookbackMs ?? 0,
    };
  }
}

/** Those who do not count have NaN, which is neither before nor after anything. */
function countRows(
  { count, actor, at: times }: RowBlock,
  since: Float64Array,
  { windowMs, until, lookbackMs }: Limits,
  after: Float64Array,
  before: Float64Array,
): void {
  for (let row = 0; row < count; row++) {
    const who = actor[row] as number;
    const at = times[row] as number;
    const exposedAt = since[who] as number;
    if (at >= exposedAt) {
      if (at < exposedAt + windowMs && at < until) (after[who] as number)++;
    } else if (at >= exposedAt - lookbackMs) (before[who] as number)++;
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
