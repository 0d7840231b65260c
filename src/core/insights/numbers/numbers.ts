import { medianInOrder } from './statistics.ts';

/**
 * A list of numbers that is filled and emptied again and again, of which only the mean and the median are wanted: the
 * same as those of `statistics.ts`, without a list for each of millions of persons.
 */
export class Numbers {
  #values = new Float64Array(16);
  #sorted = new Float64Array(16);
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
    if (length <= FEW) this.#sortFew();
    else {
      this.#sorted.set(this.#values.subarray(0, length));
      this.#sorted.subarray(0, length).sort();
    }
    return medianInOrder(this.#sorted, length);
  }

  /** From the last to the first: what is measured until the same moment shrinks from one to the next. */
  #sortFew(): void {
    const sorted = this.#sorted;
    for (let place = 0; place < this.#length; place++) {
      const value = this.#values[this.#length - 1 - place] as number;
      let free = place;
      for (; free > 0 && (sorted[free - 1] as number) > value; free--) sorted[free] = sorted[free - 1] as number;
      sorted[free] = value;
    }
  }

  #grow(): void {
    const larger = new Float64Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
    this.#sorted = new Float64Array(larger.length);
  }
}

const FEW = 32;
