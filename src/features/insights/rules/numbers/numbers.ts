import { medianOfSorted } from './statistics.ts';

/**
 * A list of numbers that is filled and emptied again and again, of which only the mean and the median are wanted: the
 * same as those of `statistics.ts`, without a list for each of millions of persons.
 */
export class NumberList {
  #values = new Float64Array(16);
  #arranged = new Float64Array(16);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length++] = value;
  }

  clear(): void {
    this.#length = 0;
  }

  mean(): number | null {
    if (this.#length === 0) return null;
    let total = 0;
    for (let at = 0; at < this.#length; at++) total += this.#values[at] as number;
    return total / this.#length;
  }

  median(): number | null {
    const length = this.#length;
    if (length <= 1) return length === 0 ? null : (this.#values[0] as number);
    for (let at = 0; at < length; at++) this.#arranged[at] = this.#values[at] as number;
    // How long the quicker way takes depends on how the numbers lie: whoever makes them up is not to choose it.
    if (length > MAX_QUICKSELECT) this.#arranged.subarray(0, length).sort();
    else selectMiddle(this.#arranged, length);
    return medianOfSorted(this.#arranged, length);
  }

  #grow(): void {
    const larger = new Float64Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
    this.#arranged = new Float64Array(larger.length);
  }
}

const MAX_QUICKSELECT = 1000;

/** Moves the first `length` numbers until the two in the middle are where order would have them: less than sorting. */
function selectMiddle(numbers: Float64Array, length: number): void {
  const middle = (length - 1) >> 1;
  let [low, high] = [0, length - 1];
  while (low < high) {
    const pivot = numbers[(low + high) >> 1] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((numbers[left] as number) < pivot) left++;
      while ((numbers[right] as number) > pivot) right--;
      if (left > right) break;
      const moved = numbers[left] as number;
      numbers[left++] = numbers[right] as number;
      numbers[right--] = moved;
    }
    // All up to `right` are at most the pivot, all from `left` on at least; what lies between them is the pivot.
    if (middle <= right) high = right;
    else if (middle >= left) low = left;
    else break;
  }
  let least = middle + 1;
  for (let at = middle + 2; at < length; at++) if ((numbers[at] as number) < (numbers[least] as number)) least = at;
  if (least >= length) return;
  const moved = numbers[least] as number;
  numbers[least] = numbers[middle + 1] as number;
  numbers[middle + 1] = moved;
}
