/** A set of integer ids with one bit for each: a million take some hundred kilobytes. */
export class IdSet implements Iterable<number> {
  /** Only pages that are not empty. */
  readonly #pages = new Map<number, Uint32Array>();

  static of(ids: Iterable<number>): IdSet {
    const set = new IdSet();
    for (const id of ids) set.add(id);
    return set;
  }

  add(id: number): void {
    const number = Math.floor(id / PAGE);
    const at = id % PAGE;
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Uint32Array(WORDS);
      this.#pages.set(number, page);
    }
    page[at >>> 5] = (page[at >>> 5] ?? 0) | (1 << (at & 31));
  }

  has(id: number): boolean {
    const at = id % PAGE;
    const word = this.#pages.get(Math.floor(id / PAGE))?.[at >>> 5] ?? 0;
    return (word & (1 << (at & 31))) !== 0;
  }

  get size(): number {
    let size = 0;
    for (const page of this.#pages.values()) for (const word of page) size += bitsIn(word);
    return size;
  }

  /** In ascending order. */
  *[Symbol.iterator](): Generator<number> {
    const numbers = [...this.#pages.keys()].sort((a, b) => a - b);
    for (const number of numbers) {
      const page = this.#pages.get(number) ?? EMPTY_PAGE;
      for (const [i, word] of page.entries()) {
        if (word === 0) continue;
        for (let bit = 0; bit < 32; bit++) if (word & (1 << bit)) yield number * PAGE + i * 32 + bit;
      }
    }
  }

  or(other: IdSet): IdSet {
    return this.#join(other, [...this.#pages.keys(), ...other.#pages.keys()], (a, b) => a | b);
  }

  and(other: IdSet): IdSet {
    return this.#join(other, this.#pages.keys(), (a, b) => a & b);
  }

  without(other: IdSet): IdSet {
    return this.#join(other, this.#pages.keys(), (a, b) => a & ~b);
  }

  #join(other: IdSet, numbers: Iterable<number>, combine: (a: number, b: number) => number): IdSet {
    const joined = new IdSet();
    for (const number of numbers) {
      if (joined.#pages.has(number)) continue;
      const left = this.#pages.get(number) ?? EMPTY_PAGE;
      const right = other.#pages.get(number) ?? EMPTY_PAGE;
      joined.#pages.set(
        number,
        left.map((word, i) => combine(word, right[i] ?? 0)),
      );
    }
    return joined;
  }
}

const WORDS = 256;
const PAGE = WORDS * 32;
const EMPTY_PAGE = new Uint32Array(WORDS);

function bitsIn(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The items in lists of at most `size`. */
export function* inChunks<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
