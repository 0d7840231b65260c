import type { PathsQuestion } from '../rules/question.ts';
import type { PathCodes } from './path-codes.ts';
import { EdgeCounter, minShownWeight } from './rules/path-edges.ts';
import type { PathItem } from './rules/path-items.ts';
import type { Path } from './split-paths.ts';

/** Up to this size steps are counted in a table, beyond it in a map. */
const MAX_TABLE_SIZE = 1_000_000;

/** What was counted: by the number of a step, how often and the sum of its times. */
export interface StepCounts {
  counts: Float64Array;
  times: Float64Array;
}

/** Counts steps by their position and the codes of their ends, of which there are few. */
export class StepTable {
  readonly #items: number;
  readonly #limit: number;
  readonly counted: StepCounts;

  static fits(items: number, limit: number): boolean {
    return limit * items * items <= MAX_TABLE_SIZE;
  }

  constructor(items: number, limit: number) {
    this.#items = items;
    this.#limit = limit;
    const size = limit * items * items;
    this.counted = { counts: new Float64Array(size), times: new Float64Array(size) };
  }

  /** The first items of a path, up to the limit. */
  addFirst({ items, times, length }: Path): void {
    const { counts, times: sums } = this.counted;
    const end = Math.min(length, this.#limit);
    for (let position = 1; position < end; position++) {
      const step =
        (position * this.#items + (items[position - 1] as number)) * this.#items + (items[position] as number);
      (counts[step] as number)++;
      (sums[step] as number) += (times[position] as number) - (times[position - 1] as number);
    }
  }

  /** Adds what was counted elsewhere. */
  add({ counts, times }: StepCounts): void {
    for (let step = 0; step < counts.length; step++) {
      (this.counted.counts[step] as number) += counts[step] as number;
      (this.counted.times[step] as number) += times[step] as number;
    }
  }

  steps(): Step[] {
    const steps: Step[] = [];
    const { counts, times } = this.counted;
    const items = this.#items;
    for (let step = 0; step < counts.length; step++) {
      const count = counts[step] as number;
      if (count === 0) continue;
      const before = Math.floor(step / items);
      const [position, from] = [Math.floor(before / items), before % items];
      steps.push({ position, from, to: step % items, count, time: times[step] as number });
    }
    return steps;
  }
}

interface Step {
  position: number;
  from: number;
  to: number;
  count: number;
  time: number;
}

/** Counts steps by the codes of their ends, which are named last. */
export class StepCounter {
  readonly #codes: PathCodes;
  readonly #limit: number;
  /** Null where it would be too large. */
  readonly table: StepTable | null;
  readonly #steps = new Map<string | number, Step>();
  readonly #edges = new EdgeCounter();

  constructor(codes: PathCodes, limit: number) {
    this.#codes = codes;
    this.#limit = limit;
    const hasTable = codes.isComplete && StepTable.fits(codes.count, limit);
    this.table = hasTable ? new StepTable(codes.count, limit) : null;
  }

  add(path: readonly PathItem[]): void {
    this.#edges.add(path);
  }

  /** The first items of a path, up to the limit. */
  addFirst(path: Path): void {
    if (this.table !== null) this.table.addFirst(path);
    else this.#addFirst(path);
  }

  #addFirst({ items, times, length }: Path): void {
    const end = Math.min(length, this.#limit);
    for (let position = 1; position < end; position++) {
      const step = this.#stepOf(position, items[position - 1] as number, items[position] as number);
      step.count++;
      step.time += (times[position] as number) - (times[position - 1] as number);
    }
  }

  #stepOf(position: number, from: number, to: number): Step {
    const { count, isComplete } = this.#codes;
    // While items are still being added, the number is not unique.
    const key = isComplete ? (position * count + from) * count + to : `${position} ${from} ${to}`;
    const step = this.#steps.get(key) ?? { position, from, to, count: 0, time: 0 };
    if (step.count === 0) this.#steps.set(key, step);
    return step;
  }

  /** Only names steps that can be shown: mostly few of many. */
  edges(question: PathsQuestion): EdgeCounter {
    const counted = this.table?.steps() ?? [...this.#steps.values()];
    const weights = counted.map(({ count }) => count);
    const minWeight = minShownWeight(weights, question);
    for (const { position, from, to, count, time } of counted) {
      if (count < minWeight) continue;
      const [source, target] = [this.#codes.nameOf(from), this.#codes.nameOf(to)];
      this.#edges.addSteps(`${position}_${source}`, `${position + 1}_${target}`, count, time);
    }
    return this.#edges;
  }
}
