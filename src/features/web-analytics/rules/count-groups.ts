/**
 * Counts rows and different visitors by group, over millions of rows. Rows are put into the order of their visitors once:
 * then a visitor is new to a group unless the group's last row was of the same visitor, nothing needs to be looked up,
 * and every column is read from its beginning to its end, which caches of processors like.
 */

/** Rows in the order of their visitors. */
export interface VisitorRows {
  /** The visitor of each row, ascending. */
  visitors: Int32Array;
  /** Where the rows stand, by their place in the result. */
  places: Int32Array;
}

/** Rows with the number that their group is found by. */
export interface GroupedRows {
  codes: Int32Array;
  /** The group of each code; null where every code is a group. */
  groupOf: Int32Array | null;
  /** No group is as large. */
  size: number;
}

/** So many rows are gone through before other work of the thread gets its turn. */
const ROWS_PER_TURN = 400_000;

type Pause = () => Promise<void>;

/** `visitors`: of each row, below `limit`. */
export async function sortByVisitor(visitors: Int32Array, limit: number, pause: Pause): Promise<VisitorRows> {
  const next = new Int32Array(limit + 1);
  const places = new Int32Array(visitors.length);
  await inTurns(visitors.length, pause, (from, until) => {
    for (let row = from; row < until; row++) {
      const visitor = visitors[row] as number;
      next[visitor + 1] = (next[visitor + 1] as number) + 1;
    }
  });
  for (let at = 1; at <= limit; at++) next[at] = (next[at] as number) + (next[at - 1] as number);
  await inTurns(visitors.length, pause, (from, until) => {
    for (let row = from; row < until; row++) {
      const visitor = visitors[row] as number;
      const place = next[visitor] as number;
      places[row] = place;
      next[visitor] = place + 1;
    }
  });
  // Each visitor's number is now the place after their last row.
  const sorted = new Int32Array(visitors.length);
  for (let visitor = 0, at = 0; visitor < limit; visitor++) {
    for (const end = next[visitor] as number; at < end; at++) sorted[at] = visitor;
  }
  return { visitors: sorted, places };
}

/** The values of rows, in the order of their visitors. */
export async function inVisitorOrder(
  { places }: VisitorRows,
  values: Int32Array | Uint8Array,
  pause: Pause,
): Promise<Int32Array> {
  const found = new Int32Array(values.length);
  await inTurns(values.length, pause, (from, until) => {
    for (let row = from; row < until; row++) found[places[row] as number] = values[row] as number;
  });
  return found;
}

/** Numbers by group. Rows may be added bit by bit, if all of a visitor come at once. */
export class GroupCounts {
  visitors = new Int32Array(0);
  rows = new Int32Array(0);
  sums: Float64Array[];

  /** `sums`: how many numbers of each row are summed. */
  constructor(sums = 0) {
    this.sums = Array.from({ length: sums }, () => new Float64Array(0));
  }

  /** Everything in the order of visitors. */
  async add(visitors: Int32Array, grouped: GroupedRows, values: readonly Int32Array[], pause: Pause): Promise<void> {
    this.#grow(grouped.size);
    await this.#count(visitors, grouped, pause);
    for (const [at, column] of values.entries()) await this.#sum(this.sums[at] as Float64Array, grouped, column, pause);
  }

  #grow(size: number): void {
    if (size <= this.rows.length) return;
    this.visitors = grown(this.visitors, new Int32Array(size));
    this.rows = grown(this.rows, new Int32Array(size));
    this.sums = this.sums.map((sums) => grown(sums, new Float64Array(size)));
  }

  async #count(visitors: Int32Array, { codes, groupOf }: GroupedRows, pause: Pause): Promise<void> {
    const [ofGroups, rows] = [this.visitors, this.rows];
    const last = new Int32Array(rows.length).fill(-1);
    await inTurns(codes.length, pause, (from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        const group = groupOf === null ? code : (groupOf[code] as number);
        rows[group] = (rows[group] as number) + 1;
        const visitor = visitors[row] as number;
        if (last[group] === visitor) continue;
        last[group] = visitor;
        ofGroups[group] = (ofGroups[group] as number) + 1;
      }
    });
  }

  async #sum(sums: Float64Array, { codes, groupOf }: GroupedRows, values: Int32Array, pause: Pause): Promise<void> {
    await inTurns(codes.length, pause, (from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        const group = groupOf === null ? code : (groupOf[code] as number);
        sums[group] = (sums[group] as number) + (values[row] as number);
      }
    });
  }
}

function grown<T extends Int32Array | Float64Array>(values: T, into: T): T {
  into.set(values);
  return into;
}

/** Calls `work` with one range of rows after the other. */
async function inTurns(rows: number, pause: Pause, work: (from: number, until: number) => void): Promise<void> {
  for (let from = 0; from < rows; from += ROWS_PER_TURN) {
    if (from > 0) await pause();
    work(from, Math.min(rows, from + ROWS_PER_TURN));
  }
}

/**
 * The index of each time's interval; `bounds` are the starts of the intervals in order, and no time is before the first.
 * Intervals are about equally long, so that the first guess is seldom wrong.
 */
export function intervalsOf(times: Int32Array, bounds: readonly number[]): Int32Array {
  const found = new Int32Array(times.length);
  const starts = Float64Array.from(bounds);
  const last = starts.length - 1;
  const first = starts[0] ?? 0;
  const perSecond = last > 0 ? last / ((starts[last] as number) - first) : 0;
  for (let row = 0; row < times.length; row++) {
    const time = times[row] as number;
    let at = Math.min(last, Math.max(0, Math.floor((time - first) * perSecond)));
    while (at > 0 && (starts[at] as number) > time) at--;
    while (at < last && (starts[at + 1] as number) <= time) at++;
    found[row] = at;
  }
  return found;
}
