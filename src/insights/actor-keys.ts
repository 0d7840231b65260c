/**
 * Rows that are told by a number each, their time and what else is to be known of them, by whose they are: a third of
 * the time that columns take. An actor's rows are sorted and taken apart when they are asked for, and so still at hand
 * for whoever looks at them.
 */
import { startsOf, type Tied } from './actor-rows.ts';

export interface KeyParts {
  /** A power of two: a key is the time since `from`, times this, and the rest. */
  readonly base: number;
  readonly from: number;
}

/** An actor's rows, in the order of time, until the next actor's are asked for. */
export interface OwnKeys {
  readonly count: number;
  /** ms UTC. */
  readonly at: Float64Array;
  /** What their keys say beside the time. */
  readonly rest: Int32Array;
}

/** Whether times within the range, and as many different rests, go into one number without loss. */
export const fitsKey = ({ from, until }: { from: number; until: number }, base: number): boolean =>
  (until - from) * base <= Number.MAX_SAFE_INTEGER;

export class ActorKeys {
  readonly actors: number;
  readonly #actor: Int32Array;
  readonly #column: Float64Array;
  readonly #parts: KeyParts;
  readonly #tied: Tied;
  readonly #starts: Int32Array;
  /** Place → key. */
  readonly #keys: Float64Array;
  readonly #own: { count: number; at: Float64Array; rest: Int32Array };
  /** Place → row of the table; made when it is needed. */
  #rows: Int32Array | undefined;

  /** Rows of one instant are in the order of `tied`, or in any. */
  constructor(actor: Int32Array, column: Float64Array, parts: KeyParts, tied: Tied) {
    this.#actor = actor;
    this.#column = column;
    this.#parts = parts;
    this.#tied = tied;
    this.#starts = startsOf(actor);
    this.actors = this.#starts.length - 1;
    this.#keys = this.#placed(column);
    const longest = longestOf(this.#starts);
    this.#own = { count: 0, at: new Float64Array(longest), rest: new Int32Array(longest) };
  }

  of(actor: number): OwnKeys {
    const [keys, { at, rest }, { base, from }] = [this.#keys, this.#own, this.#parts];
    const [first, past] = [this.#starts[actor] as number, this.#starts[actor + 1] as number];
    // What it needs to sort is needed for nothing else yet.
    sortKeys(keys, first, past, at);
    let hasTies = false;
    for (let place = first; place < past; place++) {
      const key = keys[place] as number;
      const since = Math.floor(key / base);
      const index = place - first;
      rest[index] = key - since * base;
      at[index] = from + since;
      if (index > 0 && at[index] === at[index - 1] && rest[index] !== rest[index - 1]) hasTies = true;
    }
    this.#own.count = past - first;
    if (hasTies && this.#tied !== null) this.#orderTies(actor, this.#tied);
    return this.#own;
  }

  /** One of the actor's rows; they have at least one. */
  rowOf(actor: number): number {
    return this.#rowsOf(actor)[0] as number;
  }

  #orderTies(actor: number, tied: NonNullable<Tied>): void {
    const { base } = this.#parts;
    const keyOf = (row: number): number => this.#column[row] as number;
    const sinceOf = (row: number): number => Math.floor(keyOf(row) / base);
    const rows = this.#rowsOf(actor).toSorted((a, b) => sinceOf(a) - sinceOf(b) || tied(a, b));
    for (const [index, row] of rows.entries()) this.#own.rest[index] = keyOf(row) % base;
  }

  #rowsOf(actor: number): Int32Array {
    this.#rows ??= this.#placed(numbersUpTo(this.#actor.length));
    return this.#rows.subarray(this.#starts[actor], this.#starts[actor + 1]);
  }

  /** The values of rows, in the order of places. */
  #placed<T extends Int32Array | Float64Array>(values: T): T {
    const [actor, next] = [this.#actor, this.#starts.slice()];
    const placed = new (values.constructor as new (length: number) => T)(values.length);
    for (let row = 0; row < actor.length; row++) {
      const own = actor[row] as number;
      const place = next[own] as number;
      next[own] = place + 1;
      placed[place] = values[row] as number;
    }
    return placed;
  }
}

/** With more than these it is quicker to sort all keys. */
const FEW_RUNS = 8;

/**
 * Each thread of the engine hands its rows over in the order of time, one thread after the other: what an actor has is
 * a few runs that are in order. The next run is merged into what was merged so far.
 */
function sortKeys(keys: Float64Array, from: number, to: number, spare: Float64Array): void {
  let middle = runEnd(keys, from, to);
  for (let runs = 1; middle < to; runs++) {
    if (runs > FEW_RUNS) {
      keys.subarray(from, to).sort();
      return;
    }
    const end = runEnd(keys, middle, to);
    mergeRuns(keys, from, middle, end, spare);
    middle = end;
  }
}

function runEnd(keys: Float64Array, from: number, to: number): number {
  let place = from + 1;
  while (place < to && (keys[place] as number) >= (keys[place - 1] as number)) place++;
  return place;
}

/** The first run is moved out of the way; once nothing is left of it, the rest is in its place. */
function mergeRuns(keys: Float64Array, from: number, middle: number, to: number, first: Float64Array): void {
  const count = middle - from;
  for (let at = 0; at < count; at++) first[at] = keys[from + at] as number;
  let [at, second, place] = [0, middle, from];
  while (at < count) {
    const next = first[at] as number;
    if (second < to && (keys[second] as number) < next) keys[place++] = keys[second++] as number;
    else {
      keys[place++] = next;
      at++;
    }
  }
}

function numbersUpTo(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let number = 0; number < count; number++) numbers[number] = number;
  return numbers;
}

function longestOf(starts: Int32Array): number {
  let longest = 0;
  for (let own = 1; own < starts.length; own++)
    longest = Math.max(longest, (starts[own] as number) - (starts[own - 1] as number));
  return longest;
}
