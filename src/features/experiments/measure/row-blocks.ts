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
  readonly #sorter: KindSorter;
  #highestActor = -1;
  #rows = 0;
  #ids = 0;

  constructor(plan: MetricPlan, encoding: KeyEncoding, hasPlaces: boolean) {
    this.#encoding = encoding;
    this.#readsAll = plan.readsAll;
    this.#hasPlaces = hasPlaces;
    this.#sorter = new KindSorter(encoding.base);
    const identities = plan.entities.map(entityIdentity);
    this.#numberMasks = Array.from(plan.numbers.values(), ({ entities }) =>
      entities.reduce((mask, entity) => mask | (1 << identities.indexOf(entityIdentity(entity))), 0),
    );
  }

  /** One more than the highest number of an actor. */
  get actors(): number {
    return this.#highestActor + 1;
  }

  /** Kind by kind: rows of different kinds alternate, so one after the other would be slow. */
  add(columns: RowColumns, from = 0, to = columns.actor.length): void {
    for (let start = from; start < to; start += MAX_BLOCK_ROWS)
      this.#addSome(columns, start, Math.min(to, start + MAX_BLOCK_ROWS));
  }

  #addSome(columns: RowColumns, from: number, to: number): void {
    const { actor, key } = columns;
    const { starts, rows, highestActor } = this.#sorter.sort(actor, key, from, to);
    this.#highestActor = Math.max(this.#highestActor, highestActor);
    for (let kind = this.#readsAll ? 0 : 1; kind < starts.length - 1; kind++) {
      const [first, past] = [starts[kind] as number, starts[kind + 1] as number];
      if (first < past) this.#addKind(kind, rows.subarray(first, past), columns, this.#rows - from);
    }
    this.#rows += to - from;
  }

  #addKind(bits: number, rows: Int32Array, columns: RowColumns, before: number): void {
    for (let done = 0; done < rows.length; ) {
      const block = this.#openFor(bits);
      const some = rows.subarray(done, done + block.actor.length - block.count);
      fill(block, some, columns, { ...this.#encoding, before });
      block.count += some.length;
      done += some.length;
    }
  }

  /** Twice as large as the one before: there may be many kinds of rows, of few rows each. */
  #openFor(bits: number): OpenBlock {
    const last = this.#open[bits];
    if (last !== undefined && last.count < last.actor.length) return last;
    const size = Math.min(MAX_BLOCK_ROWS, Math.max(MIN_BLOCK_ROWS, 2 * (last?.count ?? 0)));
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

/** Rows in the order of their kinds. */
class KindSorter {
  /** Kind → the place of its first row; one more for the end. */
  readonly #starts: Int32Array;
  readonly #next: Int32Array;
  readonly #kinds = new Int32Array(MAX_BLOCK_ROWS);
  readonly #rows = new Int32Array(MAX_BLOCK_ROWS);
  readonly #kindCount: number;

  constructor(kindCount: number) {
    this.#kindCount = kindCount;
    this.#starts = new Int32Array(kindCount + 1);
    this.#next = new Int32Array(kindCount);
  }

  /** At most `MAX_BLOCK_ROWS` of them; overwritten by the next ones. */
  sort(actor: Int32Array, key: Float64Array, from: number, to: number) {
    const [starts, next, kinds, rows] = [this.#starts, this.#next, this.#kinds, this.#rows];
    const base = this.#kindCount;
    const unit = 1 / base;
    starts.fill(0);
    let highestActor = -1;
    for (let row = from; row < to; row++) {
      const whole = key[row] as number;
      const kind = whole - Math.floor(whole * unit) * base;
      const who = actor[row] as number;
      if (who > highestActor) highestActor = who;
      kinds[row - from] = kind;
      (starts[kind + 1] as number)++;
    }
    for (let kind = 0; kind < next.length; kind++) {
      next[kind] = starts[kind] as number;
      starts[kind + 1] = (starts[kind + 1] as number) + (starts[kind] as number);
    }
    for (let row = from; row < to; row++) rows[(next[kinds[row - from] as number] as number)++] = row;
    return { starts, rows, highestActor };
  }
}

/** Appends these rows to a block, whose size suffices. */
function fill(
  { count, actor: actors, at: times, numbers: all, places }: OpenBlock,
  rows: Int32Array,
  { actor, key, numbers }: RowColumns,
  { base, from, before }: KeyEncoding & { before: number },
): void {
  const unit = 1 / base;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    actors[count + at] = actor[row] as number;
    times[count + at] = from + Math.floor((key[row] as number) * unit);
  }
  for (const [place, own] of all.entries()) {
    const column = numbers[place];
    if (own === null || column === undefined) continue;
    for (let at = 0; at < rows.length; at++) own[count + at] = column[rows[at] as number] as number;
  }
  if (places !== null) for (let at = 0; at < rows.length; at++) places[count + at] = before + (rows[at] as number);
}

/** What tells a row from others, and what `tieOrder` compares where ties matter. */
export const rowId = ({ places, firstId }: RowBlock, at: number): number =>
  places === null ? firstId + at : (places[at] as number);
