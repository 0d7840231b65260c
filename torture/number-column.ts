/** Numbers by index, at 4 bytes each and outside of JavaScript's heap: a run of a thousand kills sends ten million events. */
export class NumberColumn {
  readonly #pieces: Uint32Array[] = [];

  /** 0 where nothing was set. */
  get(index: number): number {
    return this.#pieces[Math.floor(index / PIECE)]?.[index % PIECE] ?? 0;
  }

  set(index: number, value: number): void {
    const number = Math.floor(index / PIECE);
    for (let next = this.#pieces.length; next <= number; next++) this.#pieces.push(new Uint32Array(PIECE));
    (this.#pieces[number] as Uint32Array)[index % PIECE] = value;
  }

  increment(index: number): void {
    this.set(index, this.get(index) + 1);
  }
}

/** Pieces need not be copied when there are more. */
const PIECE = 65_536;
