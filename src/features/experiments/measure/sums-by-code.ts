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

  count(codes: Int32Array): void {
    const sums = this.#forCodes(codes);
    for (let actor = 0; actor < codes.length; actor++) (sums[codes[actor] as number] as number)++;
  }

  countNonZero(codes: Int32Array, column: Float64Array): void {
    const sums = this.#forCodes(codes);
    for (let actor = 0; actor < codes.length; actor++)
      if (column[actor] !== 0) (sums[codes[actor] as number] as number)++;
  }

  countAbove(codes: Int32Array, column: Uint8Array, limit: number): void {
    const sums = this.#forCodes(codes);
    for (let actor = 0; actor < codes.length; actor++)
      if ((column[actor] as number) > limit) (sums[codes[actor] as number] as number)++;
  }

  add(codes: Int32Array, column: Float64Array): void {
    const sums = this.#forCodes(codes);
    for (let actor = 0; actor < codes.length; actor++)
      (sums[codes[actor] as number] as number) += column[actor] as number;
  }

  addProducts(codes: Int32Array, one: Float64Array, other: Float64Array): void {
    const sums = this.#forCodes(codes);
    for (let actor = 0; actor < codes.length; actor++)
      (sums[codes[actor] as number] as number) += (one[actor] as number) * (other[actor] as number);
  }

  #forCodes(codes: Int32Array): Float64Array {
    let highest = 0;
    for (let actor = 0; actor < codes.length; actor++) highest = Math.max(highest, codes[actor] as number);
    if (highest < this.#sums.length) return this.#sums;
    const before = this.#sums;
    this.#sums = new Float64Array(highest + 1);
    this.#sums.set(before);
    return this.#sums;
  }
}
