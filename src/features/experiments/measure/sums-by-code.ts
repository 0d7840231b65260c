import { addColumn, addColumns, addProducts, addValues, countAbove } from './sum-loops.ts';

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
    for (const { code, actors } of groups) this.#sums[code] = this.of(code) + countAbove(actors, column, limit);
  }

  add({ groups }: CodedActors, column: Float64Array): void {
    for (const { code, actors } of groups) {
      const totals = Float64Array.of(this.of(code));
      addValues(totals, actors, column);
      this.#sums[code] = totals[0] as number;
    }
  }

  addProducts({ groups }: CodedActors, one: Float64Array, other: Float64Array): void {
    for (const { code, actors } of groups) {
      const totals = Float64Array.of(this.of(code));
      addProducts(totals, actors, one, other);
      this.#sums[code] = totals[0] as number;
    }
  }

  set(code: number, sum: number): void {
    this.#sums[code] = sum;
  }
}

/** Sums over one column. */
export class ColumnSums {
  readonly sum = new SumsByCode();
  readonly nonZero = new SumsByCode();
  readonly squares = new SumsByCode();

  add({ groups }: CodedActors, column: Float64Array): void {
    for (const { code, actors } of groups) {
      const totals = Float64Array.from(this.totals(code));
      addColumn(totals, actors, column);
      this.setTotals(code, totals);
    }
  }

  /** As `addColumn` has them. */
  totals(code: number): number[] {
    return [this.sum.of(code), this.nonZero.of(code), this.squares.of(code)];
  }

  setTotals(code: number, [sum, nonZero, squares]: Float64Array): void {
    this.sum.set(code, sum as number);
    this.nonZero.set(code, nonZero as number);
    this.squares.set(code, squares as number);
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
    const known = [...sums.one.totals(code), ...sums.other.totals(code), sums.products.of(code)];
    const totals = Float64Array.from(known);
    addColumns(totals, actors, one, other);
    sums.one.setTotals(code, totals);
    sums.other.setTotals(code, totals.subarray(3));
    sums.products.set(code, totals[6] as number);
  }
}
