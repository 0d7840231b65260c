/** Random numbers from a seed (xoshiro128**, seeded by splitmix32), so that every run of a simulation is the same. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  #spare: number | null = null;

  constructor(seed: number) {
    let state = seed | 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    [this.#a, this.#b, this.#c, this.#d] = [next(), next(), next(), next()];
  }

  /** 32 random bits. */
  bits(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** Above 0, below 1. */
  uniform(): number {
    return (this.bits() + 0.5) / 2 ** 32;
  }

  /** Marsaglia's polar method. */
  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    let [x, y, square] = [0, 0, 0];
    do {
      x = 2 * this.uniform() - 1;
      y = 2 * this.uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1);
    const factor = Math.sqrt((-2 * Math.log(square)) / square);
    this.#spare = y * factor;
    return x * factor;
  }

  /** Successes in n trials: jumps from one success to the next, which is quick where they are rare. */
  binomial(n: number, rate: number): number {
    const scale = 1 / Math.log1p(-rate);
    let [successes, at] = [-1, 0];
    do {
      successes += 1;
      at += Math.floor(Math.log(this.uniform()) * scale) + 1;
    } while (at <= n);
    return successes;
  }
}
