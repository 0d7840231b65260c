/**
 * Texts of more than 12 bytes of a vector. A call of the driver for each of them takes four times as long as writing its
 * bytes, and an event of a browser has about eight. So their bytes are given to the vector as one long text, whose address
 * can be read in its cell; the cells of the others point into it.
 */
import duckdb from '@duckdb/node-bindings';

/** Of a text: a 32-bit length, then its bytes, or the first four of them and a pointer of 64 bits. */
export const CELL = 16;
export const INLINE_BYTES = 12;

/** Several times the bytes of a usual column. */
const BUFFER_BYTES = 256 * 1024;
const MAX_BYTES_PER_UNIT = 3;
const WORD = 2 ** 32;

const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

/** For one vector at a time, since all use the same buffer. */
export class LongTexts {
  readonly #vector: duckdb.Vector;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  /** Bytes of the buffer. */
  #used = 0;
  /** Row, place in the buffer and length of each text in it. */
  readonly #texts: number[] = [];

  /** `cells`: of the whole vector, to be copied into it at the end. */
  constructor(vector: duckdb.Vector, cells: ArrayBuffer) {
    this.#vector = vector;
    this.#bytes = new Uint8Array(cells);
    this.#words = new Uint32Array(cells);
  }

  add(text: string, row: number): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (most > BUFFER_BYTES - this.#used) this.writePointers();
    if (most > BUFFER_BYTES) this.#addAlone(Buffer.from(text), row);
    else this.#write(text, row);
  }

  #write(text: string, row: number): void {
    const length = buffer.write(text, this.#used, 'utf8');
    if (length <= INLINE_BYTES) {
      this.#writeInline(row, length);
      return;
    }
    this.#texts.push(row, this.#used, length);
    this.#used += length;
  }

  #addAlone(text: Buffer, row: number): void {
    this.#writePointer(row, text, 0, text.length, this.#addressOf(text));
  }

  /** A short text with other characters than those of ASCII. */
  #writeInline(row: number, length: number): void {
    this.#words[(row * CELL) / 4] = length;
    this.#bytes.set(buffer.subarray(this.#used, this.#used + length), row * CELL + 4);
  }

  /** Before the cells are copied: this overwrites the first one of the vector. */
  writePointers(): void {
    if (this.#used === 0) return;
    const address = this.#addressOf(buffer.subarray(0, this.#used));
    const texts = this.#texts;
    for (let at = 0; at < texts.length; at += 3) {
      const [row, from, length] = [texts[at] as number, texts[at + 1] as number, texts[at + 2] as number];
      this.#writePointer(row, buffer, from, length, address + from);
    }
    texts.length = 0;
    this.#used = 0;
  }

  /** Of a copy that lives as long as the vector. */
  #addressOf(text: Uint8Array): number {
    duckdb.vector_assign_string_element_len(this.#vector, 0, text);
    const { buffer: cells, byteOffset } = duckdb.vector_get_data(this.#vector, CELL);
    const cell = new DataView(cells, byteOffset, CELL);
    if (cell.getUint32(0, true) !== text.length) throw new Error('The engine has not taken the texts of a column.');
    return cell.getUint32(12, true) * WORD + cell.getUint32(8, true);
  }

  #writePointer(row: number, text: Uint8Array, from: number, length: number, address: number): void {
    const word = (row * CELL) / 4;
    this.#words[word] = length;
    for (let at = 0; at < 4; at++) this.#bytes[row * CELL + 4 + at] = text[from + at] as number;
    const high = Math.floor(address / WORD);
    this.#words[word + 2] = address - high * WORD;
    this.#words[word + 3] = high;
  }
}
