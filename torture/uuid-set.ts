/** Whole uuids in a hash table of 32-bit words, outside of JavaScript's heap: ten million take 256 MB. */
export class UuidSet {
  #words = new Uint32Array(4 * FIRST_PLACES);
  #places = FIRST_PLACES;
  #size = 0;

  /** False if it was there already. */
  add(uuid: string): boolean {
    if (this.#size >= this.#places * MAX_LOAD) this.#grow();
    if (!this.#insert(wordsOf(uuid), 0)) return false;
    this.#size++;
    return true;
  }

  /** Four words of a list. They are their own hash: the last ones are random, or a digest. */
  #insert(list: ArrayLike<number>, from: number): boolean {
    const words = this.#words;
    const [a = 0, b = 0, c = 0, d = 0] = [list[from], list[from + 1], list[from + 2], list[from + 3]];
    let at = 4 * (((c ^ d) >>> 0) % this.#places);
    for (; !isEmpty(words, at); at = (at + 4) % words.length) {
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return false;
    }
    [words[at], words[at + 1], words[at + 2], words[at + 3]] = [a, b, c, d];
    return true;
  }

  #grow(): void {
    const old = this.#words;
    this.#places *= 2;
    this.#words = new Uint32Array(4 * this.#places);
    for (let at = 0; at < old.length; at += 4) if (!isEmpty(old, at)) this.#insert(old, at);
  }
}

const FIRST_PLACES = 65_536;
/** Full tables are slow to search. */
const MAX_LOAD = 0.75;

/** The third word of a uuid is never 0, as it begins with the variant. */
const isEmpty = (words: Uint32Array, at: number): boolean => words[at + 2] === 0;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function wordsOf(uuid: string): number[] {
  if (!UUID.test(uuid)) throw new Error(`Not a uuid: ${uuid}`);
  const hex = uuid.replaceAll('-', '');
  return [0, 8, 16, 24].map((at) => Number.parseInt(hex.slice(at, at + 8), 16));
}
