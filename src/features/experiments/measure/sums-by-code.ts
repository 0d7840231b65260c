/** Those who count and have the same code, ascending. */
interface CodeGroup {
  readonly code: number;
  readonly actors: Int32Array;
}

/** The code of each actor, 0 for those who do not count, and the others by it. */
export interface CodedActors {
  readonly codes: Int32Array;
  readonly groups: readonly CodeGroup[];
}

export function groupByCode(codes: Int32Array): CodedActors {
  const counts: number[] = [];
  for (let actor = 0; actor < codes.length; actor++) {
    const code = codes[actor] as number;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  const places: Int32Array[] = [];
  for (const [code, count] of Object.entries(counts)) if (code !== '0') places[Number(code)] = new Int32Array(count);
  const next = new Int32Array(counts.length);
  for (let actor = 0; actor < codes.length; actor++) {
    const code = codes[actor] as number;
    if (code !== 0) (places[code] as Int32Array)[(next[code] as number)++] = actor;
  }
  return { codes, groups: Object.entries(places).map(([code, actors]) => ({ code: Number(code), actors })) };
}

/** A number for each code of an exposure. */
export class SumsByCode {
  readonly #sums: number[] = [];

  of(code: number): number {
    return this.#sums[code] ?? 0;
  }

  /** Those with a number, ascending. */
  codes(): number[] {
    return Object.keys(this.#sums).map(Number);
  }

  count({ groups }: CodedActors): void {
    for (const { code, actors } of groups) this.#sums[code] = this.of(code) + actors.length;
  }

  countAbove({ groups }: CodedActors, column: Uint8Array, limit: number): void {
    for (const { code, actors } of groups) {
      let count = this.of(code);
      for (let at = 0; at < actors.length; at++) count += Number((column[actors[at] as number] as number) > limit);
      this.#sums[code] = count;
    }
  }

  add({ groups }: CodedActors, column: Float64Array): void {
    for (const { code, actors } of groups) {
      let sum = this.of(code);
      for (let at = 0; at < actors.length; at++) sum += column[actors[at] as number] as number;
      this.#sums[code] = sum;
    }
  }

  addProducts({ groups }: CodedActors, one: Float64Array, other: Float64Array): void {
    for (const { code, actors } of groups) {
      let sum = this.of(code);
      for (let at = 0; at < actors.length; at++) {
        const actor = actors[at] as number;
        sum += (one[actor] as number) * (other[actor] as number);
      }
      this.#sums[code] = sum;
    }
  }

  set(code: number, sum: number): void {
    this.#sums[code] = sum;
  }
}

interface Sums {
  sum: number;
  nonZero: number;
  squares: number;
}

/** Sums over one column. */
export class ColumnSums {
  readonly sum = new SumsByCode();
  readonly nonZero = new SumsByCode();
  readonly squares = new SumsByCode();

  add({ groups }: CodedActors, column: Float64Array): void {
    for (const { code, actors } of groups) {
      let { sum, nonZero, squares } = this.of(code);
      for (let at = 0; at < actors.length; at++) {
        const value = column[actors[at] as number] as number;
        sum += value;
        squares += value * value;
        // Not a branch: half of the values are 0, and a processor would guess wrong.
        nonZero += Number(value !== 0);
      }
      this.set(code, { sum, nonZero, squares });
    }
  }

  of(code: number): Sums {
    return { sum: this.sum.of(code), nonZero: this.nonZero.of(code), squares: this.squares.of(code) };
  }

  set(code: number, { sum, nonZero, squares }: Sums): void {
    this.sum.set(code, sum);
    this.nonZero.set(code, nonZero);
    this.squares.set(code, squares);
  }
}

/** Where the sums over two columns and over their products go. */
interface PairSums {
  one: ColumnSums;
  other: ColumnSums;
  products: SumsByCode;
}

/** The same as adding each of them, in one pass over both: half of the time. */
export function addPair({ groups }: CodedActors, sums: PairSums, one: Float64Array, other: Float64Array): void {
  for (const { code, actors } of groups) {
    let { sum, nonZero, squares } = sums.one.of(code);
    let { sum: otherSum, nonZero: otherNonZero, squares: otherSquares } = sums.other.of(code);
    let products = sums.products.of(code);
    for (let at = 0; at < actors.length; at++) {
      const actor = actors[at] as number;
      const [value, otherValue] = [one[actor] as number, other[actor] as number];
      sum += value;
      squares += value * value;
      nonZero += Number(value !== 0);
      otherSum += otherValue;
      otherSquares += otherValue * otherValue;
      otherNonZero += Number(otherValue !== 0);
      products += value * otherValue;
    }
    sums.one.set(code, { sum, nonZero, squares });
    sums.other.set(code, { sum: otherSum, nonZero: otherNonZero, squares: otherSquares });
    sums.products.set(code, products);
  }
}
