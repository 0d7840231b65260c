/**
 * Counts rows and different visitors by group, over millions of rows. Rows are gone through in the order of their
 * visitors: then a visitor is new to a group unless the group's last row was of the same visitor, and nothing needs to be
 * looked up.
 */

/** Rows with the number of their visitor, which is below `limit`. */
export interface VisitorRows {
  visitors: Int32Array;
  /** The rows, by visitor. */
  order: Int32Array;
  limit: number;
}

/** By group. */
export interface GroupCounts {
  visitors: Int32Array;
  rows: Int32Array;
}

/** So many rows are gone through before other work of the thread gets its turn. */
const ROWS_PER_TURN = 400_000;

type Pause = () => Promise<void>;

export async function orderByVisitor(visitors: Int32Array, limit: number, pause: Pause): Promise<VisitorRows> {
  const next = new Int32Array(limit + 1);
  for (const visitor of visitors) next[visitor + 1] = (next[visitor + 1] as number) + 1;
  for (let at = 1; at <= limit; at++) next[at] = (next[at] as number) + (next[at - 1] as number);
  const order = new Int32Array(visitors.length);
  await inTurns(visitors.length, pause, (from, until) => {
    for (let row = from; row < until; row++) {
      const visitor = visitors[row] as number;
      const place = next[visitor] as number;
      order[place] = row;
      next[visitor] = place + 1;
    }
  });
  return { visitors, order, limit };
}

/** `groups`: of each row, below `size`. */
export async function countGroups(
  { visitors, order }: VisitorRows,
  groups: Int32Array,
  size: number,
  pause: Pause,
): Promise<GroupCounts> {
  const counts = { visitors: new Int32Array(size), rows: new Int32Array(size) };
  const last = new Int32Array(size).fill(-1);
  await inTurns(order.length, pause, (from, until) => {
    for (let at = from; at < until; at++) {
      const row = order[at] as number;
      const group = groups[row] as number;
      const visitor = visitors[row] as number;
      counts.rows[group] = (counts.rows[group] as number) + 1;
      if (last[group] === visitor) continue;
      last[group] = visitor;
      counts.visitors[group] = (counts.visitors[group] as number) + 1;
    }
  });
  return counts;
}

/** The sums of a number by group. */
export async function sumGroups(
  values: Int32Array,
  groups: Int32Array,
  size: number,
  pause: Pause,
): Promise<Float64Array> {
  const sums = new Float64Array(size);
  await inTurns(values.length, pause, (from, until) => {
    for (let row = from; row < until; row++) {
      const group = groups[row] as number;
      sums[group] = (sums[group] as number) + (values[row] as number);
    }
  });
  return sums;
}

/** Calls `work` with one range of rows after the other. */
async function inTurns(rows: number, pause: Pause, work: (from: number, until: number) => void): Promise<void> {
  for (let from = 0; from < rows; from += ROWS_PER_TURN) {
    if (from > 0) await pause();
    work(from, Math.min(rows, from + ROWS_PER_TURN));
  }
}

/** The index of each time's interval; `bounds` are the starts of the intervals in order, and no time is before the first. */
export function intervalsOf(times: Int32Array, bounds: readonly number[]): Int32Array {
  const found = new Int32Array(times.length);
  const starts = Float64Array.from(bounds);
  for (let row = 0; row < times.length; row++) {
    const time = times[row] as number;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= time) low = middle;
      else high = middle - 1;
    }
    found[row] = low;
  }
  return found;
}
