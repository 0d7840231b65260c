/** Mean and median of a list that is filled and cleared again: no new list for each of millions of persons. */
export class NumberList {
  #values = new Float64Array(16);
  #sorted = new Float64Array(16);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length++] = value;
  }

  /** A copy. */
  values(): Float64Array {
    return this.#values.slice(0, this.#length);
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
    for (let at = 0; at < length; at++) this.#sorted[at] = this.#values[at] as number;
    // Quickselect is slow for some orders, which senders of events could choose.
    if (length > MAX_QUICKSELECT) this.#sorted.subarray(0, length).sort();
    else selectMiddle(this.#sorted, length);
    const middle = (length - 1) / 2;
    const [low, high] = [this.#sorted[Math.floor(middle)] as number, this.#sorted[Math.ceil(middle)] as number];
    return low + (high - low) / 2;
  }

  #grow(): void {
    const larger = new Float64Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
    this.#sorted = new Float64Array(larger.length);
  }
}

const MAX_QUICKSELECT = 1000;

/** Quickselect: moves the first `length` numbers until the two in the middle are where sorting would put them. */
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
    // Up to `right` all are at most the pivot, from `left` on at least; the pivot is between them.
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
