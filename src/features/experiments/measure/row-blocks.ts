/**
 * The rows of an experiment by what they are, in blocks of columns: a metric reads the rows of its entities from the
 * beginning of a block to the end, and no others.
 */
import type { KeyEncoding } from '../../insights/shared/actor-keys.ts';
import { entityIdentity, type MetricPlan } from './metric-plan.ts';

/** About a megabyte. */
const MAX_BLOCK_ROWS = 65_536;
const MIN_BLOCK_ROWS = 256;

/** Rows that are the same entities. */
export interface RowBlock {
  /** A bit for each entity that all of its rows are. */
  readonly bits: number;
  readonly count: number;
  readonly actor: Int32Array;
  /** ms UTC. */
  readonly at: Float64Array;
  /** What is read, in the order of the plan; null where none of these entities has it. */
  readonly numbers: readonly (Float64Array | null)[];
  /** Different for each row: of the first one, the others follow. */
  readonly firstId: number;
  /** The place of each row in the order in which they were read; null where ties do not matter. */
  readonly places: Int32Array | null;
}

/** Rows as they are read. */
export interface RowColumns {
  readonly actor: Int32Array;
  /** Time, and a bit for each entity that the event is. */
  readonly key: Float64Array;
  /** In the order of the plan. */
  readonly numbers: readonly Float64Array[];
}

type OpenBlock = RowBlock & { count: number };

export class RowBlocks {
  readonly #encoding: KeyEncoding;
  readonly #readsAll: boolean;
  readonly #hasPlaces: boolean;
  /** Number → a bit for each entity whose number is read. */
  readonly #numberMasks: readonly number[];
  readonly #blocks: OpenBlock[] = [];
  /** By what rows are: the last block. */
  readonly #open: (OpenBlock | undefined)[] = [];
  #highestActor = -1;
  #rows = 0;
  #ids = 0;

  constructor(plan: MetricPlan, encoding: KeyEncoding, hasPlaces: boolean) {
    this.#encoding = encoding;
    this.#readsAll = plan.readsAll;
    this.#hasPlaces = hasPlaces;
    const identities = plan.entities.map(entityIdentity);
    this.#numberMasks = Array.from(plan.numbers.values(), ({ entities }) =>
      entities.reduce((mask, entity) => mask | (1 << identities.indexOf(entityIdentity(entity))), 0),
    );
  }

  /** One more than the highest number of an actor. */
  get actors(): number {
    return this.#highestActor + 1;
  }

  /** Rows of one kind mostly follow each other, so the columns of the last one are at hand. */
  add({ actor, key, numbers }: RowColumns, from = 0, to = actor.length): void {
    const open = this.#open;
    const { base, from: start } = this.#encoding;
    const unit = 1 / base;
    const readsAll = this.#readsAll;
    const before = this.#rows - from;
    let highest = this.#highestActor;
    let block: OpenBlock = noBlock();
    let { actor: actors, at: times, count } = block;
    for (let row = from; row < to; row++) {
      const who = actor[row] as number;
      const whole = key[row] as number;
      const elapsed = Math.floor(whole * unit);
      const bits = whole - elapsed * base;
      if (who > highest) highest = who;
      if (bits === 0 && !readsAll) continue;
      if (bits !== block.bits || count === actors.length) {
        block.count = count;
        const last = open[bits];
        block = last === undefined || last.count === last.actor.length ? this.#openBlock(bits) : last;
        actors = block.actor;
        times = block.at;
        count = block.count;
      }
      actors[count] = who;
      times[count] = start + elapsed;
      if (block.places !== null) block.places[count] = before + row;
      for (let number = 0; number < numbers.length; number++) {
        const own = block.numbers[number];
        if (own) own[count] = numbers[number]?.[row] as number;
      }
      count++;
    }
    block.count = count;
    this.#highestActor = highest;
    this.#rows += to - from;
  }

  /** Twice as large as the one before: there may be many kinds of rows, of few rows each. */
  #openBlock(bits: number): OpenBlock {
    const full = this.#open[bits];
    const size = Math.min(MAX_BLOCK_ROWS, Math.max(MIN_BLOCK_ROWS, 2 * (full?.count ?? 0)));
    const block: OpenBlock = {
      bits,
      count: 0,
      actor: new Int32Array(size),
      at: new Float64Array(size),
      numbers: this.#numberMasks.map((mask) => ((bits & mask) === 0 ? null : new Float64Array(size))),
      firstId: this.#ids,
      places: this.#hasPlaces ? new Int32Array(size) : null,
    };
    this.#ids += size;
    this.#open[bits] = block;
    this.#blocks.push(block);
    return block;
  }

  /** Those with one of the bits (null: all), always in the same order. */
  with(mask: number | null): readonly RowBlock[] {
    const chosen = mask === null ? [...this.#blocks] : this.#blocks.filter(({ bits }) => (bits & mask) !== 0);
    return chosen.sort((a, b) => a.bits - b.bits);
  }
}

/** What tells a row from others, and what `tieOrder` compares where ties matter. */
export const rowId = ({ places, firstId }: RowBlock, at: number): number =>
  places === null ? firstId + at : (places[at] as number);

/** Without any place. */
const noBlock = (): OpenBlock => ({
  bits: -1,
  count: 0,
  actor: new Int32Array(0),
  at: new Float64Array(0),
  numbers: [],
  firstId: 0,
  places: null,
});
