/** Rows of a table by whose they are, and each actor's in the order of time. */
import { inBatches } from '../../../lib/in-turns.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';

interface ActorRows {
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
export async function rowsByActor(table: ColumnTable, tied: TieOrder): Promise<ActorRows> {
  const actor = table.integers('actor');
  const starts = await actorStarts(actor);
  const rows = await rowOrder(actor, starts);
  const at = await reorderColumn({ rows }, table.doubles('at'));
  const actors = starts.length - 1;
  await inBatches(actors, ACTOR_BATCH_SIZE, (first, past) => {
    for (let own = first; own < past; own++) {
      const [from, to] = [starts[own] as number, starts[own + 1] as number];
      if (to - from <= MAX_INSERTION_SORT) insertionSort({ at, rows }, from, to, tied);
      else sortLarge({ at, rows }, from, to, tied);
    }
  });
  return { actors, starts, at, rows };
}

/** What is looked at before others get their turn: some milliseconds each. */
export const ROW_BATCH_SIZE = 200_000;
export const ACTOR_BATCH_SIZE = 2000;

/** The values of a column, in the order of places. */
export async function reorderColumn<T extends Int32Array | Float64Array>(
  { rows }: Pick<ActorRows, 'rows'>,
  column: T,
): Promise<T> {
  const values = new (column.constructor as new (length: number) => T)(rows.length);
  await inBatches(rows.length, ROW_BATCH_SIZE, (from, to) => {
    for (let place = from; place < to; place++) values[place] = column[rows[place] as number] as number;
  });
  return values;
}

/** Actor → the place of their first row, and one behind the last. */
export async function actorStarts(actor: Int32Array): Promise<Int32Array> {
  let most = -1;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) if ((actor[row] as number) > most) most = actor[row] as number;
  });
  const starts = new Int32Array(most + 2);
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) (starts[(actor[row] as number) + 1] as number)++;
  });
  for (let own = 0; own <= most; own++) starts[own + 1] = (starts[own + 1] as number) + (starts[own] as number);
  return starts;
}

/** Place → row, each actor's in the order of rows. */
export async function rowOrder(actor: Int32Array, starts: Int32Array): Promise<Int32Array> {
  const rows = new Int32Array(actor.length);
  const next = starts.slice();
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) rows[(next[actor[row] as number] as number)++] = row;
  });
  return rows;
}

/** The order of two rows of one instant; null where it makes no difference. */
export type TieOrder = ((a: number, b: number) => number) | null;
type RowColumns = Pick<ActorRows, 'at' | 'rows'>;

const MAX_INSERTION_SORT = 100;

/** Each row is moved to before those that are later than it: mostly none. */
function insertionSort(part: RowColumns, from: number, to: number, tied: TieOrder): void {
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

function sortLarge({ at, rows }: RowColumns, from: number, to: number, tied: TieOrder): void {
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

const isBefore = (time: number, row: number, other: number, otherRow: number, tied: TieOrder): boolean =>
  time < other || (time === other && tied !== null && tied(row, otherRow) < 0);
