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

/** The values of a column, in the order of places. */
export function placed<T extends Int32Array | Float64Array>({ rows }: ActorRows, column: T): T {
  const values = new (column.constructor as new (length: number) => T)(rows.length);
  for (let place = 0; place < rows.length; place++) values[place] = column[rows[place] as number] as number;
  return values;
}

/** Actor → the place of their first row, and one behind the last. */
export function startsOf(actor: Int32Array): Int32Array {
  let most = -1;
  for (let row = 0; row < actor.length; row++) if ((actor[row] as number) > most) most = actor[row] as number;
  const starts = new Int32Array(most + 2);
  for (let row = 0; row < actor.length; row++) (starts[(actor[row] as number) + 1] as number)++;
  for (let own = 0; own <= most; own++) starts[own + 1] = (starts[own + 1] as number) + (starts[own] as number);
  return starts;
}

/** The order of two rows of one instant; null where it makes no difference. */
export type Tied = ((a: number, b: number) => number) | null;
type Part = Pick<ActorRows, 'at' | 'rows'>;

const FEW = 100;

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
