/**
 * The small numbers of a row, packed into few integers of 64 bits: a result is read with a call for every column of 2,048
 * rows, however little they say. Each integer is read as two words of 32 bits; the first word of a row is its visitor.
 */

interface Field {
  name: string;
  /** Its numbers are below. */
  size: number;
}

/** Where a number of each row is. */
export interface FieldPlace {
  /** Words after the visitor. */
  word: number;
  shift: number;
  /** Of as many bits as it has. */
  mask: number;
}

/** The integers of all rows, one column after the other. */
export type PackedColumns = [Int32Array, ...Int32Array[]];

/** The last bit is the sign. */
const WORD_BITS = 31;

export class RowLayout {
  /** How many integers a row has. */
  readonly columns: number;
  readonly #places = new Map<string, FieldPlace>();

  constructor(fields: readonly Field[]) {
    const used: number[] = [];
    for (const { name, size } of fields) {
      const bits = bitsFor(size);
      const fitting = used.findIndex((count) => count + bits <= WORD_BITS);
      const word = fitting < 0 ? used.length : fitting;
      const shift = used[word] ?? 0;
      this.#places.set(name, { word, shift, mask: 2 ** bits - 1 });
      used[word] = shift + bits;
    }
    this.columns = 1 + (used.length >> 1);
  }

  place(name: string): FieldPlace {
    const place = this.#places.get(name);
    if (place === undefined) throw new Error(`Rows have no number ${name}.`);
    return place;
  }

  /** The integers of a row, in SQL; `values` has the numbers that are not filled in later. */
  sql(visitor: string, values: Readonly<Record<string, string>>): string[] {
    const columns: string[][] = Array.from({ length: this.columns }, () => []);
    columns[0]?.push(asInteger(visitor));
    for (const [name, value] of Object.entries(values)) {
      const place = this.place(name);
      const factor = 1n << BigInt(place.shift + 32 * halfOf(place));
      // Numbers that are too large must not change others, or be too large for the column.
      columns[columnOf(place)]?.push(`${asInteger(`(${value}) & ${place.mask}`)} * ${factor}`);
    }
    return columns.map((terms) => terms.join(' + '));
  }
}

/** How many bits numbers below `size` take. */
export const bitsFor = (size: number): number => 32 - Math.clz32(Math.max(size, 2) - 1);

const asInteger = (sql: string): string => `cast(${sql} as bigint)`;

const columnOf = ({ word }: FieldPlace): number => (word + 1) >> 1;
/** 0 for the lower half. */
const halfOf = ({ word }: FieldPlace): number => (word + 1) & 1;

/** How many rows have each number. */
export function rowsByCode(columns: PackedColumns, place: FieldPlace): Int32Array {
  const words = columns[columnOf(place)] ?? new Int32Array(0);
  const { shift, mask } = place;
  const rows = new Int32Array(mask + 1);
  for (let at = halfOf(place); at < words.length; at += 2) {
    const code = ((words[at] as number) >>> shift) & mask;
    rows[code] = (rows[code] as number) + 1;
  }
  return rows;
}
