/**
 * Counts rows and different visitors by group, over millions of rows, without a hash table.
 *
 * Where there are few groups, there is a bit for each visitor and group. Otherwise rows are put into the order of their
 * visitors: then a visitor is new to a group unless the group's last row was of the same visitor, and columns are read
 * from their beginning to their end.
 */

/** How the groups of rows are found by their codes. */
export interface CodeGroups {
  /** The group of each code; null where every code is a group. */
  groupOf: Int32Array | null;
  /** No group is as large. */
  size: number;
}

/** What is summed of each session. */
interface SummedValues {
  seconds: Int32Array;
  bounces: Int32Array;
}

/** So many rows are gone through before other work of the thread gets its turn. */
const ROWS_PER_TURN = 400_000;
/** Bits of visitors and groups; more do not fit into the cache of a processor, and ordering rows is faster. */
const MAX_WORDS = 400_000;

type Pause = () => Promise<void>;

interface OrderedRows {
  /** The visitor of each row, ascending. */
  visitors: Int32Array;
  /** Where each row stands in that order. */
  places: Int32Array;
}

/** Rows with the numbers of their visitors, which are below `limit`. */
export class VisitorRows {
  readonly visitors: Int32Array;
  readonly limit: number;
  readonly pause: Pause;
  #ordered: Promise<OrderedRows> | undefined;
  /** Large arrays are slow to come by. */
  #buffer: Int32Array | undefined;

  constructor(visitors: Int32Array, limit: number, pause: Pause) {
    this.visitors = visitors;
    this.limit = limit;
    this.pause = pause;
  }

  /** 1 for each visitor that has a row. */
  async seen(): Promise<Uint8Array> {
    const { visitors } = this;
    const seen = new Uint8Array(this.limit);
    await this.inTurns((from, until) => {
      for (let row = from; row < until; row++) seen[visitors[row] as number] = 1;
    });
    return seen;
  }

  /** Visitors and values of the rows in the order of visitors; until the next call. */
  async inOrder(values: Int32Array): Promise<{ visitors: Int32Array; values: Int32Array }> {
    this.#ordered ??= this.#order();
    const { visitors, places } = await this.#ordered;
    const buffer = this.#buffer ?? new Int32Array(values.length);
    this.#buffer = buffer;
    await this.inTurns((from, until) => {
      for (let row = from; row < until; row++) buffer[places[row] as number] = values[row] as number;
    });
    return { visitors, values: buffer };
  }

  /** Calls `work` with one range of rows after the other. */
  async inTurns(work: (from: number, until: number) => void): Promise<void> {
    const rows = this.visitors.length;
    for (let from = 0; from < rows; from += ROWS_PER_TURN) {
      if (from > 0) await this.pause();
      work(from, Math.min(rows, from + ROWS_PER_TURN));
    }
  }

  async #order(): Promise<OrderedRows> {
    const { visitors, limit } = this;
    const next = new Int32Array(limit + 1);
    await this.inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const after = (visitors[row] as number) + 1;
        next[after] = (next[after] as number) + 1;
      }
    });
    for (let at = 1; at <= limit; at++) next[at] = (next[at] as number) + (next[at - 1] as number);
    const places = new Int32Array(visitors.length);
    await this.inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const visitor = visitors[row] as number;
        const place = next[visitor] as number;
        places[row] = place;
        next[visitor] = place + 1;
      }
    });
    // `next` has the place after the last row of each visitor now.
    const sorted = new Int32Array(visitors.length);
    for (let visitor = 0, at = 0; visitor < limit; visitor++) {
      for (const end = next[visitor] as number; at < end; at++) sorted[at] = visitor;
    }
    return { visitors: sorted, places };
  }
}

/** Numbers by group. Rows may be added bit by bit, if all of a visitor come at once. */
export class GroupCounts {
  visitors = new Int32Array(0);
  rows = new Int32Array(0);
  seconds = new Float64Array(0);
  bounces = new Float64Array(0);

  async add(rows: VisitorRows, codes: Int32Array, groups: CodeGroups, values: SummedValues | null): Promise<void> {
    this.#grow(groups.size);
    await this.#sum(rows, codes, groups, values);
    const words = Math.ceil(groups.size / 32);
    if (words * rows.limit <= MAX_WORDS) await this.#countByBit(rows, codes, groups, words);
    else await this.#countInOrder(rows, codes, groups);
  }

  async #sum(all: VisitorRows, codes: Int32Array, { groupOf }: CodeGroups, values: SummedValues | null): Promise<void> {
    const { rows, seconds, bounces } = this;
    await all.inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        const group = groupOf === null ? code : (groupOf[code] as number);
        rows[group] = (rows[group] as number) + 1;
        if (values === null) continue;
        seconds[group] = (seconds[group] as number) + (values.seconds[row] as number);
        bounces[group] = (bounces[group] as number) + (values.bounces[row] as number);
      }
    });
  }

  async #countByBit(rows: VisitorRows, codes: Int32Array, { groupOf }: CodeGroups, words: number): Promise<void> {
    const bits = new Int32Array(words * rows.limit);
    const { visitors } = rows;
    const counts = this.visitors;
    await rows.inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        const group = groupOf === null ? code : (groupOf[code] as number);
        const at = (visitors[row] as number) * words + (group >>> 5);
        const bit = 1 << (group & 31);
        const word = bits[at] as number;
        if ((word & bit) !== 0) continue;
        bits[at] = word | bit;
        counts[group] = (counts[group] as number) + 1;
      }
    });
  }

  async #countInOrder(rows: VisitorRows, codes: Int32Array, { groupOf, size }: CodeGroups): Promise<void> {
    const { visitors, values } = await rows.inOrder(codes);
    // The last visitor of each group.
    const last = new Int32Array(size).fill(-1);
    const counts = this.visitors;
    await rows.inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const code = values[row] as number;
        const group = groupOf === null ? code : (groupOf[code] as number);
        const visitor = visitors[row] as number;
        if (last[group] === visitor) continue;
        last[group] = visitor;
        counts[group] = (counts[group] as number) + 1;
      }
    });
  }

  #grow(size: number): void {
    if (size <= this.rows.length) return;
    this.visitors = grown(this.visitors, new Int32Array(size));
    this.rows = grown(this.rows, new Int32Array(size));
    this.seconds = grown(this.seconds, new Float64Array(size));
    this.bounces = grown(this.bounces, new Float64Array(size));
  }
}

function grown<T extends Int32Array | Float64Array>(values: T, into: T): T {
  into.set(values);
  return into;
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
