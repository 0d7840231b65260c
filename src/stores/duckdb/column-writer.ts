import type { DuckDBDataChunk } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { hex4, isUuid } from '../../core/events/uuid.ts';
import { CELL, INLINE_BYTES, LongTexts } from './long-texts.ts';

/**
 * Fills the columns of a data chunk through the bindings, in half the time that `@duckdb/node-api` takes cell by cell: an
 * event has 29 cells, and most are short or null.
 *
 * Relies on layouts of DuckDB's public C API: a validity mask has one bit per row, a boolean is a byte, a UUID is a 128-bit integer with
 * its top bit flipped, and a string is a 16-byte cell: a 32-bit length, and its bytes if there are up to 12 of them, else
 * the first four and a pointer (`long-texts.ts`). All platforms of DuckDB's package are little-endian.
 */
export const CHUNK_ROWS = 2048;

const cells = new ArrayBuffer(CHUNK_ROWS * CELL);
const bytes = new Uint8Array(cells);
const ints = new Int32Array(cells);
const longs = new BigInt64Array(cells);
/** What 32 bits hold. */
const WORD = 2 ** 32;
const mask = new ArrayBuffer(CHUNK_ROWS / 8);
const maskBytes = new Uint8Array(mask);

export type Column<Row> = (chunk: DuckDBDataChunk, index: number, rows: readonly Row[]) => void;

export const integerColumn =
  <Row>(read: (row: Row) => number): Column<Row> =>
  (chunk, index, rows) => {
    rows.forEach((row, i) => {
      ints[i] = read(row);
    });
    copyCells(vectorOf(chunk, index), rows.length * 4);
  };

export const booleanColumn =
  <Row>(read: (row: Row) => boolean): Column<Row> =>
  (chunk, index, rows) => {
    rows.forEach((row, i) => {
      bytes[i] = read(row) ? 1 : 0;
    });
    copyCells(vectorOf(chunk, index), rows.length);
  };

/** Converts ms UTC to microseconds. */
export const timestampColumn =
  <Row>(read: (row: Row) => number): Column<Row> =>
  (chunk, index, rows) => {
    rows.forEach((row, i) => {
      writeMicros(Math.trunc(read(row)), i);
    });
    copyCells(vectorOf(chunk, index), rows.length * 8);
  };

/** Bigints are objects; microseconds until the year 2255 fit into a double. */
function writeMicros(ms: number, i: number): void {
  const micros = ms * 1000;
  if (!Number.isSafeInteger(micros)) {
    longs[i] = BigInt(ms) * 1000n;
    return;
  }
  const high = Math.floor(micros / WORD);
  ints[i * 2] = micros - high * WORD;
  ints[i * 2 + 1] = high;
}

export const uuidColumn =
  <Row>(read: (row: Row) => string): Column<Row> =>
  (chunk, index, rows) => {
    rows.forEach((row, i) => {
      writeUuid(read(row), i * 4);
    });
    copyCells(vectorOf(chunk, index), rows.length * CELL);
  };

export const textColumn =
  <Row>(read: (row: Row) => string | null): Column<Row> =>
  (chunk, index, rows) => {
    const vector = vectorOf(chunk, index);
    const longTexts = new LongTexts(vector, cells);
    let nulls = 0;
    ints.fill(0, 0, rows.length * 4);
    maskBytes.fill(0xff);
    for (let i = 0; i < rows.length; i++) {
      const text = read(rows[i] as Row);
      if (text === null) {
        nulls++;
        maskBytes[i >> 3] = (maskBytes[i >> 3] ?? 0) & ~(1 << (i & 7));
      } else if (!writeInline(text, i * CELL)) longTexts.add(text, i);
    }
    longTexts.writePointers();
    copyCells(vector, rows.length * CELL);
    if (nulls > 0) copyMask(vector);
  };

const vectorOf = (chunk: DuckDBDataChunk, index: number): duckdb.Vector =>
  duckdb.data_chunk_get_vector(chunk.chunk, index);

const copyCells = (vector: duckdb.Vector, byteCount: number): void => {
  duckdb.copy_data_to_vector(vector, 0, cells, 0, byteCount);
};

function copyMask(vector: duckdb.Vector): void {
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, mask, 0, mask.byteLength);
}

/** Writes short ASCII text into its cell; returns false and leaves the cell empty if it does not fit. */
function writeInline(text: string, at: number): boolean {
  if (text.length > INLINE_BYTES) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      bytes.fill(0, at, at + CELL);
      return false;
    }
    bytes[at + 4 + i] = code;
  }
  ints[at / 4] = text.length;
  return true;
}

function writeUuid(uuid: string, at: number): void {
  if (!isUuid(uuid)) throw new Error(`Not a UUID: ${JSON.stringify(uuid.slice(0, 100))}`);
  ints[at + 3] = ((hex4(uuid, 0) << 16) | hex4(uuid, 4)) ^ 0x80000000;
  ints[at + 2] = (hex4(uuid, 9) << 16) | hex4(uuid, 14);
  ints[at + 1] = (hex4(uuid, 19) << 16) | hex4(uuid, 24);
  ints[at] = (hex4(uuid, 28) << 16) | hex4(uuid, 32);
}
