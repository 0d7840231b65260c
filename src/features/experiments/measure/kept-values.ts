import { type WinsorLevels, winsorise } from '../../../core/experiments/winsorise.ts';

/** The values of everybody, kept where bounds have to be found over all of them before anything is added up. */
export class KeptValues {
  readonly #codes: number[] = [];
  readonly #columns: number[][] = [];

  add(code: number, columns: readonly Float64Array[], actor: number): void {
    this.#codes.push(code);
    columns.forEach((column, at) => {
      const own = this.#columns[at] ?? [];
      own.push(column[actor] as number);
      this.#columns[at] = own;
    });
  }

  /** The code of each entity, and its values within the bounds. */
  within(levels: WinsorLevels): { codes: readonly number[]; columns: Float64Array[]; uncapped: readonly number[] } {
    const columns = this.#columns.map((column) => winsorise(Float64Array.from(column), levels));
    return { codes: this.#codes, columns, uncapped: this.#columns[0] ?? [] };
  }
}
