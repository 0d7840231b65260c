/**
 * Counts rows and different visitors by group, over millions of rows, without a hash table.
 *
 * The visitors of rows are put into the order of the rows' codes. Then a visitor is new to a code unless the visitor's
 * last row was of the same code, and a processor needs no more in its cache than the last code of each visitor.
 */

/** How the groups of a table are found by codes. */
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

/** What rows have in common, by code. */
export interface CodeCounts {
  rows: Int32Array;
  seconds: Float64Array;
  bounces: Float64Array;
  /** The different visitors of one code after the other. */
  visitors: Int32Array;
  /** Where those of each code end. */
  ends: Int32Array;
  /** No visitor is as large. */
  limit: number;
}

/** So many rows are gone through before other work of the thread gets its turn. */
const ROWS_PER_TURN = 400_000;

export type Pause = () => Promise<void>;

/** Rows with the numbers of their visitors, which are below `limit`. */
export class VisitorRows {
  readonly visitors: Int32Array;
  readonly limit: number;
  readonly #pause: Pause;
  /** Large arrays are slow to come by. */
  #ordered: Int32Array | undefined;

  constructor(visitors: Int32Array, limit: number, pause: Pause) {
    this.visitors = visitors;
    this.limit = limit;
    this.#pause = pause;
  }

  /** Counts rows by their code; until the next call. */
  async count(codes: Int32Array, values: SummedValues | null): Promise<CodeCounts> {
    const sums = await this.#sum(codes, values);
    const { visitors, ends } = await this.#order(codes, sums.rows);
    return { ...sums, visitors, ends: await this.#leaveOutRepeated(visitors, ends), limit: this.limit };
  }

  async #sum(
    codes: Int32Array,
    values: SummedValues | null,
  ): Promise<Pick<CodeCounts, 'rows' | 'seconds' | 'bounces'>> {
    const size = largest(codes) + 1;
    const sums = { rows: new Int32Array(size), seconds: new Float64Array(size), bounces: new Float64Array(size) };
    const { rows, seconds, bounces } = sums;
    await this.#inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        rows[code] = (rows[code] as number) + 1;
      }
    });
    if (values === null) return sums;
    await this.#inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        seconds[code] = (seconds[code] as number) + (values.seconds[row] as number);
        bounces[code] = (bounces[code] as number) + (values.bounces[row] as number);
      }
    });
    return sums;
  }

  /** Puts visitors into the order of codes, of which there are so many `rows`. They end there. */
  async #order(codes: Int32Array, rows: Int32Array): Promise<Pick<CodeCounts, 'visitors' | 'ends'>> {
    const { visitors } = this;
    const ordered = this.#ordered ?? new Int32Array(visitors.length);
    this.#ordered = ordered;
    const next = new Int32Array(rows.length);
    for (let code = 1; code < next.length; code++) {
      next[code] = (next[code - 1] as number) + (rows[code - 1] as number);
    }
    await this.#inTurns((from, until) => {
      for (let row = from; row < until; row++) {
        const code = codes[row] as number;
        const place = next[code] as number;
        next[code] = place + 1;
        ordered[place] = visitors[row] as number;
      }
    });
    return { visitors: ordered, ends: next };
  }

  /** Moves the different visitors of each code to the front. Returns where each code ends then. */
  async #leaveOutRepeated(ordered: Int32Array, ends: Int32Array): Promise<Int32Array> {
    const last = new Int32Array(this.limit).fill(-1);
    const left = new Int32Array(ends.length);
    const at = { code: 0, place: 0 };
    await this.#inTurns((from, until) => {
      let { code, place } = at;
      for (let row = from; row < until; code++) {
        const end = Math.min(until, ends[code] as number);
        for (; row < end; row++) {
          const visitor = ordered[row] as number;
          if (last[visitor] === code) continue;
          last[visitor] = code;
          ordered[place++] = visitor;
        }
        left[code] = place;
        // It may go on in the next turn.
        if (row === until) break;
      }
      Object.assign(at, { code, place });
    });
    return left;
  }

  /** Calls `work` with one range of rows after the other. */
  async #inTurns(work: (from: number, until: number) => void): Promise<void> {
    const rows = this.visitors.length;
    for (let from = 0; from < rows; from += ROWS_PER_TURN) {
      if (from > 0) await this.#pause();
      work(from, Math.min(rows, from + ROWS_PER_TURN));
    }
  }
}

export function largest(codes: Int32Array): number {
  let most = -1;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] as number;
    if (code > most) most = code;
  }
  return most;
}

/** The codes below `limit`, one group after the other. */
const inOrderOf = (groupOf: Int32Array, limit: number): Int32Array =>
  Int32Array.from({ length: limit }, (_, code) => code).sort((a, b) => (groupOf[a] as number) - (groupOf[b] as number));

/** How many of these are not of the group yet; `last` has the last group of each visitor. */
function countNew(visitors: Int32Array, last: Int32Array, group: number): number {
  let count = 0;
  for (let at = 0; at < visitors.length; at++) {
    const visitor = visitors[at] as number;
    if (last[visitor] === group) continue;
    last[visitor] = group;
    count++;
  }
  return count;
}

/** How many different visitors each group has. */
async function countVisitors(
  { visitors, ends, limit }: CodeCounts,
  { groupOf, size }: CodeGroups,
  pause: Pause,
): Promise<Int32Array> {
  const counts = new Int32Array(size);
  const firstOf = (code: number): number => (code === 0 ? 0 : (ends[code - 1] as number));
  if (groupOf === null) {
    for (let code = 0; code < ends.length; code++) counts[code] = (ends[code] as number) - firstOf(code);
    return counts;
  }
  const last = new Int32Array(limit).fill(-1);
  let waiting = 0;
  for (const code of inOrderOf(groupOf, ends.length)) {
    const [first, end, group] = [firstOf(code), ends[code] as number, groupOf[code] as number];
    counts[group] = (counts[group] as number) + countNew(visitors.subarray(first, end), last, group);
    waiting += end - first;
    if (waiting < ROWS_PER_TURN) continue;
    await pause();
    waiting = 0;
  }
  return counts;
}

/** 1 for each visitor who has a row. */
export function seenVisitors({ visitors, ends, limit }: CodeCounts): Uint8Array {
  const seen = new Uint8Array(limit);
  const end = ends.at(-1) ?? 0;
  for (let at = 0; at < end; at++) seen[visitors[at] as number] = 1;
  return seen;
}

/** Numbers by group. Rows may be added bit by bit, if all of a visitor come at once. */
export class GroupCounts {
  visitors = new Int32Array(0);
  rows = new Int32Array(0);
  seconds = new Float64Array(0);
  bounces = new Float64Array(0);

  async add(counts: CodeCounts, groups: CodeGroups, pause: Pause): Promise<void> {
    this.#grow(groups.size);
    const { groupOf } = groups;
    for (let code = 0; code < counts.rows.length; code++) {
      const group = groupOf === null ? code : (groupOf[code] as number);
      this.rows[group] = (this.rows[group] as number) + (counts.rows[code] as number);
      this.seconds[group] = (this.seconds[group] as number) + (counts.seconds[code] as number);
      this.bounces[group] = (this.bounces[group] as number) + (counts.bounces[code] as number);
    }
    const visitors = await countVisitors(counts, groups, pause);
    for (let group = 0; group < visitors.length; group++) {
      this.visitors[group] = (this.visitors[group] as number) + (visitors[group] as number);
    }
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
