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
export function rowsByActor(table: ColumnTable, tied: ((a: number, b: number) => number) | null): ActorRows {
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
    sortPart({ at, rows }, starts[own] as number, starts[own + 1] as number, tied);
  }
  return { actors, starts, at, rows };
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

type Part = Pick<ActorRows, 'at' | 'rows'>;

function sortPart(part: Part, from: number, to: number, tied: ((a: number, b: number) => number) | null): void {
  const { at, rows } = part;
  let place = from + 1;
  while (place < to && inOrder(part, place - 1, place, tied)) place++;
  if (place >= to) return;
  const sorted = Array.from(rows.subarray(from, to), (row, index) => ({ row, time: at[from + index] as number })).sort(
    (a, b) => a.time - b.time || (tied === null ? a.row - b.row : tied(a.row, b.row)),
  );
  for (const [index, { row, time }] of sorted.entries()) {
    rows[from + index] = row;
    at[from + index] = time;
  }
}

function inOrder(
  { at, rows }: Part,
  before: number,
  place: number,
  tied: ((a: number, b: number) => number) | null,
): boolean {
  const [first, second] = [at[before] as number, at[place] as number];
  if (first !== second || tied === null) return first <= second;
  return tied(rows[before] as number, rows[place] as number) <= 0;
}
