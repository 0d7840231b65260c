/**
 * The small numbers of a row, packed into few words of 32 bits: the engine takes less time to add them up than it takes
 * to read another column. More would not pay: it divides, and masks bits, many times slower than a loop over an array.
 */

export interface RowField {
  name: string;
  /** Its numbers are below. */
  size: number;
  /** Whether the engine does not know it. */
  isFilledIn?: boolean;
  /** Whether it is taken out before others are filled in, which get its bits. */
  isTakenOut?: boolean;
}

/** Where a number of each row is. */
export interface FieldPlace {
  word: number;
  shift: number;
  /** Of as many bits as it has. */
  mask: number;
}

/** The last bit is the sign. */
const WORD_BITS = 31;

export class RowLayout {
  readonly #places = new Map<string, FieldPlace>();
  /** By word, whether the engine knows any of its numbers. */
  readonly #isRead: boolean[] = [];

  constructor(fields: readonly RowField[]) {
    const used: number[] = [];
    let free = { word: 0, shift: 0, end: 0 };
    for (const { name, size, isFilledIn = false, isTakenOut = false } of fields) {
      const bits = bitsFor(size);
      const mask = 2 ** bits - 1;
      if (isFilledIn && free.shift + bits <= free.end) {
        this.#places.set(name, { word: free.word, shift: free.shift, mask });
        free.shift += bits;
        continue;
      }
      const fitting = used.findIndex((count) => count + bits <= WORD_BITS);
      const word = fitting < 0 ? used.length : fitting;
      const shift = used[word] ?? 0;
      this.#places.set(name, { word, shift, mask });
      this.#isRead[word] ||= !isFilledIn;
      used[word] = shift + bits;
      if (isTakenOut) free = { word, shift, end: shift + bits };
    }
  }

  /** How many words a row has. */
  get size(): number {
    return this.#isRead.length;
  }

  place(name: string): FieldPlace {
    const place = this.#places.get(name);
    if (place === undefined) throw new Error(`Rows have no number ${name}.`);
    return place;
  }

  /**
   * The words of a row in SQL, by the name of their column; `values` has the numbers that are not filled in later. A
   * number that is too large changes others, or the engine refuses it.
   */
  sql(values: Readonly<Record<string, string>>): Record<string, string> {
    const terms = Object.entries(values).map(([name, value]): [FieldPlace, string] => [this.place(name), value]);
    const words = this.#isRead.map((_, at): [string, string] => [
      nameOf(at),
      terms
        .filter(([{ word }]) => word === at)
        .map(([{ shift }, value]) => (shift === 0 ? value : `${value} * ${2 ** shift}`))
        .join(' + '),
    ]);
    return Object.fromEntries(words.filter(([, sum]) => sum !== ''));
  }

  /** The words of all rows, one after the other. */
  words(table: WordTable): Int32Array[] {
    return this.#isRead.map((isRead, at) => (isRead ? table.integers(nameOf(at)) : new Int32Array(table.rowCount)));
  }
}

/** A result with the columns of `sql`. */
interface WordTable {
  rowCount: number;
  integers(name: string): Int32Array;
}

const nameOf = (word: number): string => `word${word}`;

/** How many bits numbers below `size` take. */
export const bitsFor = (size: number): number => 32 - Math.clz32(Math.max(size, 2) - 1);

/** How many rows have each number. */
export function rowsByCode(words: readonly Int32Array[], { word, shift, mask }: FieldPlace): Int32Array {
  const own = words[word] ?? new Int32Array(0);
  const rows = new Int32Array(mask + 1);
  for (let row = 0; row < own.length; row++) {
    const code = ((own[row] as number) >>> shift) & mask;
    rows[code] = (rows[code] as number) + 1;
  }
  return rows;
}
