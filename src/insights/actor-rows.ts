/** Rows of a table by whose they are, and each actor's in the order of time. */
import type { ColumnTable } from '../stores/event-store.ts';

export interface ActorRows {
  readonly actors: number;
  /** Actor → the place of their first row; one more, behind the last. */
  readonly starts: Int32Array;
  /** Place → time, ms UTC. */
  readonly at: Float64Array;
  /** Place → row of the table. */
  readonly rows: Int32Array;
}

/**
 * Reads the columns `actor` (small numbers) and `at`. Rows come about in the order of time, so that each actor's are
 * nearly sorted once they are together. Where it matters which of two events of one instant is first, `tied` says it.
 */
export function rowsByActor(table: ColumnTable, tied: Tied): ActorRows {
  const actor = table.integers('actor');
  const times = table.doubles('at');
  const starts = startsOf(actor);
  const next = starts.slice();
  const at = new Float64Array(table.rows);
  const rows = new Int32Array(table.rows);
  for (let row = 0; row < table.rows; row++) {
    const own = actor[row] as number;
    const place = next[own] as number;
    next[own] = place + 1;
    at[place] = times[row] as number;
    rows[place] = row;
  }
  const actors = starts.length - 1;
  for (let own = 0; own < actors; own++) {
    const [from, to] = [starts[own] as number, starts[own + 1] as number];
    if (to - from <= FEW) sortFew({ at, rows }, from, to, tied);
    else sortMany({ at, rows }, from, to, tied);
  }
  return { actors, starts, at, rows };
}

export interface ActorKeys extends Pick<ActorRows, 'actors' | 'starts' | 'at'> {
  /** Place → what its key says beside the time. */
  readonly rest: Int32Array;
}

export interface KeyParts {
  /** A power of two: a key is the time since `from`, times this, and the rest. */
  readonly base: number;
  readonly from: number;
}

/** The same for rows that are wholly told by a number each, which has their order: a third of the time. */
export function keysByActor(actor: Int32Array, column: Float64Array, { base, from }: KeyParts): ActorKeys {
  const starts = startsOf(actor);
  const next = starts.slice();
  const keys = new Float64Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const own = actor[row] as number;
    const place = next[own] as number;
    next[own] = place + 1;
    keys[place] = column[row] as number;
  }
  const actors = starts.length - 1;
  const rest = new Int32Array(keys.length);
  const spare = new Float64Array(longestOf(starts));
  for (let own = 0; own < actors; own++) {
    const [first, past] = [starts[own] as number, starts[own + 1] as number];
    sortKeys(keys, first, past, spare);
    // The keys become the times, in their own place, while they are at hand.
    for (let place = first; place < past; place++) {
      const key = keys[place] as number;
      const since = Math.floor(key / base);
      rest[place] = key - since * base;
      keys[place] = from + since;
    }
  }
  return { actors, starts, at: keys, rest };
}

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

/** The values of a column, in the order of places. */
export function placed<T extends Int32Array | Float64Array>({ rows }: ActorRows, column: T): T {
  const values = new (column.constructor as new (length: number) => T)(rows.length);
  for (let place = 0; place < rows.length; place++) values[place] = column[rows[place] as number] as number;
  return values;
}

function startsOf(actor: Int32Array): Int32Array {
  let most = -1;
  for (let row = 0; row < actor.length; row++) if ((actor[row] as number) > most) most = actor[row] as number;
  const starts = new Int32Array(most + 2);
  for (let row = 0; row < actor.length; row++) (starts[(actor[row] as number) + 1] as number)++;
  for (let own = 0; own <= most; own++) starts[own + 1] = (starts[own + 1] as number) + (starts[own] as number);
  return starts;
}

function longestOf(starts: Int32Array): number {
  let longest = 0;
  for (let own = 1; own < starts.length; own++)
    longest = Math.max(longest, (starts[own] as number) - (starts[own - 1] as number));
  return longest;
}

type Tied = ((a: number, b: number) => number) | null;
type Part = Pick<ActorRows, 'at' | 'rows'>;

const FEW = 100;
/** With more than these it is quicker to sort all keys. */
const FEW_RUNS = 8;

/** Each row is moved to before those that are later than it: mostly none. */
function sortFew(part: Part, from: number, to: number, tied: Tied): void {
  const { at, rows } = part;
  for (let place = from + 1; place < to; place++) {
    const [time, row] = [at[place] as number, rows[place] as number];
    let free = place;
    while (free > from && isBefore(time, row, at[free - 1] as number, rows[free - 1] as number, tied)) {
      at[free] = at[free - 1] as number;
      rows[free] = rows[free - 1] as number;
      free--;
    }
    at[free] = time;
    rows[free] = row;
  }
}

function sortMany({ at, rows }: Part, from: number, to: number, tied: Tied): void {
  let place = from + 1;
  while (place < to && (at[place - 1] as number) < (at[place] as number)) place++;
  if (place >= to) return;
  const own = Array.from(rows.subarray(from, to), (row, index) => ({ row, time: at[from + index] as number }));
  own.sort((a, b) => (isBefore(a.time, a.row, b.time, b.row, tied) ? -1 : 1));
  for (const [index, { row, time }] of own.entries()) {
    rows[from + index] = row;
    at[from + index] = time;
  }
}

const isBefore = (time: number, row: number, other: number, otherRow: number, tied: Tied): boolean =>
  time < other || (time === other && tied !== null && tied(row, otherRow) < 0);
