import { nextIntervalStart, startOfInterval } from '../../../core/time/interval.ts';

type Unit = Parameters<typeof startOfInterval>[1];

/** The starts of intervals in the calendar of a time zone, each calculated once: there are few, and millions of times. */
export class IntervalStarts {
  readonly #unit: Unit;
  readonly #timezone: string;
  /** Known intervals in the order of time. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #last = 0;

  constructor(unit: Unit, timezone: string) {
    this.#unit = unit;
    this.#timezone = timezone;
  }

  of(time: number): number {
    if (!this.#includes(this.#last, time)) this.#last = this.#find(time);
    return this.#starts[this.#last] as number;
  }

  #includes = (at: number, time: number): boolean =>
    (this.#starts[at] as number) <= time && time < (this.#ends[at] as number);

  #find(time: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= time) low = middle + 1;
      else high = middle;
    }
    if (low > 0 && this.#includes(low - 1, time)) return low - 1;
    const start = startOfInterval(time, this.#unit, this.#timezone);
    this.#starts.splice(low, 0, start);
    this.#ends.splice(low, 0, nextIntervalStart(start, this.#unit, this.#timezone));
    return low;
  }
}
