/**
 * Rows grouped by actor, each packed into one number of its time and a value: three times as fast as separate columns.
 * An actor's rows are sorted and unpacked when they are read, while they are in the processor's cache.
 */
import { inBatches } from '../../../lib/in-batches.ts';
import {
  type ActorPart,
  ALL_ACTORS,
  actorStarts,
  ROW_BATCH_SIZE,
  reorderColumn,
  rowOrder,
  type TieOrder,
} from './actor-rows.ts';

export interface KeyEncoding {
  /** A power of two: a key is the time since `from`, times this, plus the value. */
  readonly base: number;
  readonly from: number;
}

/** An actor's rows in the order of time; valid until the next actor is read. */
interface ActorKeyRows {
  readonly count: number;
  /** ms UTC. */
  readonly at: Float64Array;
  /** The value in each key. */
  readonly rest: Int32Array;
}

/** Whether times of the range and this many values fit into one number. */
export const fitsInKey = ({ from, until }: { from: number; until: number }, base: number): boolean =>
  (until - from) * base <= Number.MAX_SAFE_INTEGER;

export interface RowOptions {
  /** The order of rows at the same time; null: any. */
  readonly tieOrder: TieOrder;
  /** Whether `anyRowOf` will be called. */
  readonly hasNames: boolean;
}

export class ActorKeys {
  readonly actors: number;
  readonly #encoding: KeyEncoding;
  readonly #tied: TieOrder;
  readonly #starts: Int32Array;
  /** Position → key. */
  readonly #keys: Float64Array;
  /** Position → row of the table; null where it is not needed. */
  readonly #rows: Int32Array | null;
  readonly #column: Float64Array;
  readonly #own: { count: number; at: Float64Array; rest: Int32Array };

  static async group(
    actor: Int32Array,
    column: Float64Array,
    encoding: KeyEncoding,
    { tieOrder, hasNames }: RowOptions,
    part = ALL_ACTORS,
  ): Promise<ActorKeys> {
    const starts = await actorStarts(actor, part);
    const rows = tieOrder !== null || hasNames ? await rowOrder(actor, starts, part) : null;
    const keys =
      rows === null ? await groupKeysByActor(actor, starts, column, part) : await reorderColumn({ rows }, column);
    return new ActorKeys({ starts, keys, rows }, column, encoding, tieOrder);
  }

  private constructor(
    { starts, keys, rows }: { starts: Int32Array; keys: Float64Array; rows: Int32Array | null },
    column: Float64Array,
    encoding: KeyEncoding,
    tied: TieOrder,
  ) {
    this.actors = starts.length - 1;
    this.#encoding = encoding;
    this.#tied = tied;
    this.#starts = starts;
    this.#keys = keys;
    this.#rows = rows;
    this.#column = column;
    const longest = maxRowsPerActor(starts);
    this.#own = { count: 0, at: new Float64Array(longest), rest: new Int32Array(longest) };
  }

  of(actor: number): ActorKeyRows {
    const [keys, { at, rest }, { base, from }] = [this.#keys, this.#own, this.#encoding];
    const [first, past] = [this.#starts[actor] as number, this.#starts[actor + 1] as number];
    // `at` is not filled yet, so it serves as spare memory.
    sortKeys(keys, first, past, at);
    let hasTies = false;
    for (let position = first; position < past; position++) {
      const key = keys[position] as number;
      const since = Math.floor(key / base);
      const index = position - first;
      rest[index] = key - since * base;
      at[index] = from + since;
      if (index > 0 && at[index] === at[index - 1] && rest[index] !== rest[index - 1]) hasTies = true;
    }
    this.#own.count = past - first;
    if (hasTies && this.#tied !== null) this.#orderTies(actor, this.#tied);
    return this.#own;
  }

  /** One of the actor's rows. */
  anyRowOf(actor: number): number {
    return this.#rowsOf(actor)[0] as number;
  }

  #orderTies(actor: number, tied: NonNullable<TieOrder>): void {
    const { base } = this.#encoding;
    const keyOf = (row: number): number => this.#column[row] as number;
    const sinceOf = (row: number): number => Math.floor(keyOf(row) / base);
    const rows = this.#rowsOf(actor).toSorted((a, b) => sinceOf(a) - sinceOf(b) || tied(a, b));
    for (const [index, row] of rows.entries()) this.#own.rest[index] = keyOf(row) % base;
  }

  #rowsOf(actor: number): Int32Array {
    return (this.#rows ?? NO_ROWS).subarray(this.#starts[actor], this.#starts[actor + 1]);
  }
}

const NO_ROWS = new Int32Array(0);

async function groupKeysByActor(
  actor: Int32Array,
  starts: Int32Array,
  column: Float64Array,
  { bits, value }: ActorPart,
): Promise<Float64Array> {
  const keys = new Float64Array(starts.at(-1) ?? 0);
  const next = starts.slice();
  const mask = (1 << bits) - 1;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const number = actor[row] as number;
      if ((number & mask) === value) keys[(next[number >> bits] as number)++] = column[row] as number;
    }
  });
  return keys;
}

/** With more runs it is faster to sort all keys. */
const MAX_MERGED_RUNS = 8;

/**
 * Each thread of the engine returns its rows in the order of time, so an actor has a few sorted runs. Merges them one by
 * one.
 */
function sortKeys(keys: Float64Array, from: number, to: number, spare: Float64Array): void {
  let middle = runEnd(keys, from, to);
  for (let runs = 1; middle < to; runs++) {
    if (runs > MAX_MERGED_RUNS) {
      keys.subarray(from, to).sort();
      return;
    }
    const end = runEnd(keys, middle, to);
    mergeRuns(keys, from, middle, end, spare);
    middle = end;
  }
}

function runEnd(keys: Float64Array, from: number, to: number): number {
  let position = from + 1;
  while (position < to && (keys[position] as number) >= (keys[position - 1] as number)) position++;
  return position;
}

/** The first run is copied to `first`; once it is used up, the rest is in place already. */
function mergeRuns(keys: Float64Array, from: number, middle: number, to: number, first: Float64Array): void {
  const count = middle - from;
  for (let at = 0; at < count; at++) first[at] = keys[from + at] as number;
  let [at, second, position] = [0, middle, from];
  while (at < count) {
    const next = first[at] as number;
    if (second < to && (keys[second] as number) < next) keys[position++] = keys[second++] as number;
    else {
      keys[position++] = next;
      at++;
    }
  }
}

function maxRowsPerActor(starts: Int32Array): number {
  let longest = 0;
  for (let own = 1; own < starts.length; own++)
    longest = Math.max(longest, (starts[own] as number) - (starts[own - 1] as number));
  return longest;
}
