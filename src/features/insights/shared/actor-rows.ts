/** Rows of a table grouped by actor, each actor's in the order of time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inBatches } from '../../../lib/in-batches.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';

interface ActorRows {
  readonly actors: number;
  /** Actor → position of their first row; one more for the end. */
  readonly starts: Int32Array;
  /** Position → time, ms UTC. */
  readonly at: Float64Array;
  /** Position → row of the table. */
  readonly rows: Int32Array;
}

/**
 * Reads the columns `actor` (small numbers) and `at`. Rows come roughly in the order of time, so that each actor's are
 * nearly sorted once they are grouped.
 */
export async function rowsByActor(table: ColumnTable, tieOrder: TieOrder): Promise<ActorRows> {
  const actor = table.integers('actor');
  const starts = await actorStarts(actor);
  const rows = await rowOrder(actor, starts);
  const at = await reorderColumn({ rows }, table.doubles('at'));
  const actors = starts.length - 1;
  await inBatches(actors, ACTOR_BATCH_SIZE, (first, past) => {
    for (let own = first; own < past; own++) {
      const [from, to] = [starts[own] as number, starts[own + 1] as number];
      if (to - from <= MAX_INSERTION_SORT) insertionSort({ at, rows }, from, to, tieOrder);
      else sortLarge({ at, rows }, from, to, tieOrder);
    }
  });
  return { actors, starts, at, rows };
}

/**
 * Some of the actors: those whose number has these low bits. Within the part they are numbered anew, without the bits.
 * Two threads can so take half of the actors each, with about as many rows.
 */
export interface ActorPart {
  readonly bits: number;
  readonly value: number;
}

export const ALL_ACTORS: ActorPart = { bits: 0, value: 0 };
export const HALVES: readonly [ActorPart, ActorPart] = [
  { bits: 1, value: 0 },
  { bits: 1, value: 1 },
];

/** A few milliseconds of work each, before other tasks get their turn. */
export const ROW_BATCH_SIZE = 200_000;
export const ACTOR_BATCH_SIZE = 2000;

/** The values of a column, by position. */
export async function reorderColumn<T extends Int32Array | Float64Array>(
  { rows }: Pick<ActorRows, 'rows'>,
  column: T,
): Promise<T> {
  const values = new (column.constructor as new (length: number) => T)(rows.length);
  await inBatches(rows.length, ROW_BATCH_SIZE, (from, to) => {
    for (let position = from; position < to; position++) values[position] = column[rows[position] as number] as number;
  });
  return values;
}

export async function actorStarts(actor: Int32Array, { bits, value }: ActorPart = ALL_ACTORS): Promise<Int32Array> {
  let highest = -1;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) if ((actor[row] as number) > highest) highest = actor[row] as number;
  });
  const most = highest >> bits;
  const starts = new Int32Array(most + 2);
  const mask = (1 << bits) - 1;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const number = actor[row] as number;
      if ((number & mask) === value) (starts[(number >> bits) + 1] as number)++;
    }
  });
  for (let own = 0; own <= most; own++) starts[own + 1] = (starts[own + 1] as number) + (starts[own] as number);
  return starts;
}

/** Position → row, each actor's in the order of rows. */
export async function rowOrder(
  actor: Int32Array,
  starts: Int32Array,
  { bits, value }: ActorPart = ALL_ACTORS,
): Promise<Int32Array> {
  const rows = new Int32Array(starts.at(-1) ?? 0);
  const next = starts.slice();
  const mask = (1 << bits) - 1;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const number = actor[row] as number;
      if ((number & mask) === value) rows[(next[number >> bits] as number)++] = row;
    }
  });
  return rows;
}

/** The order of two rows at the same time; null where it does not matter. */
export type TieOrder = ((a: number, b: number) => number) | null;
type RowColumns = Pick<ActorRows, 'at' | 'rows'>;

const MAX_INSERTION_SORT = 100;

function insertionSort(part: RowColumns, from: number, to: number, tieOrder: TieOrder): void {
  const { at, rows } = part;
  for (let position = from + 1; position < to; position++) {
    const [time, row] = [at[position] as number, rows[position] as number];
    let free = position;
    while (free > from && isBefore(time, row, at[free - 1] as number, rows[free - 1] as number, tieOrder)) {
      at[free] = at[free - 1] as number;
      rows[free] = rows[free - 1] as number;
      free--;
    }
    at[free] = time;
    rows[free] = row;
  }
}

function sortLarge({ at, rows }: RowColumns, from: number, to: number, tieOrder: TieOrder): void {
  let position = from + 1;
  while (position < to && (at[position - 1] as number) < (at[position] as number)) position++;
  if (position >= to) return;
  const own = Array.from(rows.subarray(from, to), (row, index) => ({ row, time: at[from + index] as number }));
  own.sort((a, b) => (isBefore(a.time, a.row, b.time, b.row, tieOrder) ? -1 : 1));
  for (const [index, { row, time }] of own.entries()) {
    rows[from + index] = row;
    at[from + index] = time;
  }
}

const isBefore = (time: number, row: number, other: number, otherRow: number, tieOrder: TieOrder): boolean =>
  time < other || (time === other && tieOrder !== null && tieOrder(row, otherRow) < 0);

/** A few hundred megabytes. */
const MAX_BATCH_EVENTS = 12_000_000;

export interface ActorBatch {
  at: number;
  count: number;
}

/** Splits many events into batches by actor, so that memory use is limited; other tasks get their turn in between. */
export async function* actorBatches(events: number, maxEvents = MAX_BATCH_EVENTS): AsyncGenerator<ActorBatch> {
  const count = Math.max(1, Math.ceil(events / maxEvents));
  for (let at = 0; at < count; at++) {
    yield { at, count };
    await nextTurn();
  }
}
