import { type WinsorLevels, winsorise } from '../../../core/experiments/winsorise.ts';

interface BoundedValues {
  /** The code of each entity. */
  codes: Int32Array;
  /** Within the bounds. */
  columns: Float64Array[];
  /** The first column as it was. */
  uncapped: Float64Array;
}

/** The values of everybody, kept where bounds have to be found over all of them before anything is added up. */
export class KeptValues {
  readonly #codes: number[] = [];
  readonly #columns: number[][] = [];

  /** Of those who count: their code is not 0. */
  add(codes: Int32Array, columns: readonly Float64Array[]): void {
    for (const [actor, code] of codes.entries()) {
      if (code === 0) continue;
      this.#codes.push(code);
      for (const [at, column] of columns.entries()) {
        const own = this.#columns[at] ?? [];
        own.push(column[actor] as number);
        this.#columns[at] = own;
      }
    }
  }

  within(levels: WinsorLevels): BoundedValues {
    const columns = this.#columns.map((column) => Float64Array.from(column));
    return {
      codes: Int32Array.from(this.#codes),
      columns: columns.map((column) => winsorise(column, levels)),
      uncapped: columns[0] ?? new Float64Array(0),
    };
  }
}
