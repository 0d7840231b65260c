/**
 * The loops that add up columns of everybody. Each is a function of its own that begins with numbers of a typed array:
 * if a sum began with a number from an object, the compiler would not know that it is one, and make a new object for
 * every addition. Measured: 90 MB of garbage for ten metrics of 200,000 persons, and ten times the time.
 */

/** `totals`: the sum. */
export function addValues(totals: Float64Array, actors: Int32Array, column: Float64Array): void {
  let sum = totals[0] as number;
  for (let at = 0; at < actors.length; at++) sum += column[actors[at] as number] as number;
  totals[0] = sum;
}

/** `totals`: the sum of the products. */
export function addProducts(totals: Float64Array, actors: Int32Array, one: Float64Array, other: Float64Array): void {
  let sum = totals[0] as number;
  for (let at = 0; at < actors.length; at++) {
    const actor = actors[at] as number;
    sum += (one[actor] as number) * (other[actor] as number);
  }
  totals[0] = sum;
}

/** `totals`: the sum, the number of values other than 0, the sum of squares. */
export function addColumn(totals: Float64Array, actors: Int32Array, column: Float64Array): void {
  let [sum, nonZero, squares] = [totals[0] as number, 0, totals[2] as number];
  for (let at = 0; at < actors.length; at++) {
    const value = column[actors[at] as number] as number;
    sum += value;
    squares += value * value;
    // Not a branch: half of the values are 0, and a processor would guess wrong.
    nonZero += Number(value !== 0);
  }
  totals.set([sum, (totals[1] as number) + nonZero, squares]);
}

/** `totals`: those of one column, those of the other, the sum of the products. */
export function addColumns(totals: Float64Array, actors: Int32Array, one: Float64Array, other: Float64Array): void {
  let [sum, nonZero, squares] = [totals[0] as number, 0, totals[2] as number];
  let [otherSum, otherNonZero, otherSquares] = [totals[3] as number, 0, totals[5] as number];
  let products = totals[6] as number;
  for (let at = 0; at < actors.length; at++) {
    const actor = actors[at] as number;
    const value = one[actor] as number;
    const otherValue = other[actor] as number;
    sum += value;
    squares += value * value;
    nonZero += Number(value !== 0);
    otherSum += otherValue;
    otherSquares += otherValue * otherValue;
    otherNonZero += Number(otherValue !== 0);
    products += value * otherValue;
  }
  totals.set([sum, (totals[1] as number) + nonZero, squares], 0);
  totals.set([otherSum, (totals[4] as number) + otherNonZero, otherSquares, products], 3);
}

export function countAbove(actors: Int32Array, column: Uint8Array, limit: number): number {
  let count = 0;
  for (let at = 0; at < actors.length; at++) count += Number((column[actors[at] as number] as number) > limit);
  return count;
}
