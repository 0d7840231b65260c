/** The code of each actor, and the highest of them. */
export interface ActorCodes {
  readonly codes: Int32Array;
  readonly highest: number;
}

/** A number for each code of an exposure, added up over columns by actor. Those who do not count have the code 0. */
export class SumsByCode {
  #sums: Float64Array = new Float64Array(0);

  of(code: number): number {
    return this.#sums[code] ?? 0;
  }

  /** The codes that have another number than 0. */
  codes(): number[] {
    return Array.from(this.#sums.keys()).filter((code) => code !== 0 && this.#sums[code] !== 0);
  }

  count({ codes, highest }: ActorCodes): void {
    const sums = this.upTo(highest);
    for (let actor = 0; actor < codes.length; actor++) (sums[codes[actor] as number] as number)++;
  }

  countAbove({ codes, highest }: ActorCodes, column: Uint8Array, limit: number): void {
    const sums = this.upTo(highest);
    for (let actor = 0; actor < codes.length; actor++)
      if ((column[actor] as number) > limit) (sums[codes[actor] as number] as number)++;
  }

  add({ codes, highest }: ActorCodes, column: Float64Array): void {
    const sums = this.upTo(highest);
    for (let actor = 0; actor < codes.length; actor++)
      (sums[codes[actor] as number] as number) += column[actor] as number;
  }

  addProducts({ codes, highest }: ActorCodes, one: Float64Array, other: Float64Array): void {
    const sums = this.upTo(highest);
    for (let actor = 0; actor < codes.length; actor++) {
      const value = one[actor] as number;
      if (value !== 0) (sums[codes[actor] as number] as number) += value * (other[actor] as number);
    }
  }

  /** The numbers themselves, with a place for every code up to this one. */
  upTo(highest: number): Float64Array {
    if (highest < this.#sums.length) return this.#sums;
    const before = this.#sums;
    this.#sums = new Float64Array(highest + 1);
    this.#sums.set(before);
    return this.#sums;
  }
}

/** Sums over one column. Most actors have 0 in most columns, which adds nothing. */
export class ColumnSums {
  readonly sum = new SumsByCode();
  readonly nonZero = new SumsByCode();
  readonly squares = new SumsByCode();

  add({ codes, highest }: ActorCodes, column: Float64Array): void {
    const [sum, nonZero, squares] = [this.sum.upTo(highest), this.nonZero.upTo(highest), this.squares.upTo(highest)];
    for (let actor = 0; actor < codes.length; actor++) {
      const value = column[actor] as number;
      if (value === 0) continue;
      const code = codes[actor] as number;
      (sum[code] as number) += value;
      (nonZero[code] as number)++;
      (squares[code] as number) += value * value;
    }
  }
}

export function withHighest(codes: Int32Array): ActorCodes {
  let highest = 0;
  for (let actor = 0; actor < codes.length; actor++)
    if ((codes[actor] as number) > highest) highest = codes[actor] as number;
  return { codes, highest };
}
