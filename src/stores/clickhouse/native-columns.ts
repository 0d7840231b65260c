/**
 * Reads ClickHouse's Native format: blocks of columns as they are in memory. See
 * https://clickhouse.com/docs/interfaces/formats/Native; without a protocol version, a block starts with its two counts.
 */
import type { ColumnTable } from '../events/event-store.ts';
import { UuidHalves } from '../events/uuid-column.ts';

type Column = Int32Array | Float64Array | BigUint64Array | string[];

interface FoundColumn {
  type: string;
  parts: Column[];
}

export function readNativeColumns(bytes: Buffer): ColumnTable {
  const reader = new Reader(bytes);
  const found = new Map<string, FoundColumn>();
  let rows = 0;
  while (!reader.isAtEnd) {
    const columns = reader.count();
    const count = reader.count();
    for (let i = 0; i < columns; i++) {
      const [name, type] = [reader.text(), plainType(reader)];
      const known = found.get(name) ?? { type: type.name, parts: [] };
      found.set(name, known);
      if (count === 0) continue;
      if (type.isNullable) reader.skip(count);
      known.parts.push(readColumn(reader, name, type.name, count));
    }
    rows += count;
  }
  const column = (name: string, type: string): Column[] => {
    const own = found.get(name);
    if (own === undefined ? rows > 0 : own.type !== type) throw new Error(`There is no column ${name} of that type.`);
    return own?.parts ?? [];
  };
  return {
    rowCount: rows,
    integers: (name) => joined(column(name, 'Int32') as Int32Array[], new Int32Array(rows)),
    doubles: (name) => joined(column(name, 'Float64') as Float64Array[], new Float64Array(rows)),
    texts: (name) => (column(name, 'String') as string[][]).flat(),
    uuids: (name) => {
      const words = new BigUint64Array(rows * 2);
      return new UuidHalves({ words: joined(column(name, 'UUID') as BigUint64Array[], words), high: 0, mask: 0n });
    },
  };
}

/** Results have no nulls (see `EventStore.queryColumns`), so nullable columns are read like others. */
function plainType(reader: Reader): { name: string; isNullable: boolean } {
  const type = reader.text();
  const [, inner] = /^Nullable\((.*)\)$/.exec(type) ?? [];
  return { name: inner ?? type, isNullable: inner !== undefined };
}

function readColumn(reader: Reader, name: string, type: string, count: number): Column {
  switch (type) {
    case 'Int32':
      return new Int32Array(reader.bytes(count * 4));
    case 'Float64':
      return new Float64Array(reader.bytes(count * 8));
    case 'UUID':
      return new BigUint64Array(reader.bytes(count * 16));
    case 'String':
      return Array.from({ length: count }, () => reader.text());
    default:
      throw new Error(`The column ${name} is of a type that cannot be read by column: ${type}.`);
  }
}

function joined<T extends Int32Array | Float64Array | BigUint64Array>(parts: readonly T[], all: T): T {
  let at = 0;
  for (const part of parts) {
    all.set(part as never, at);
    at += part.length;
  }
  return all;
}

class Reader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#buffer.length;
  }

  /** A varint: seven bits per byte, lowest first. */
  count(): number {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.#buffer[this.#at++];
      if (byte === undefined) throw new Error('The response of ClickHouse is truncated.');
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const length = this.count();
    const text = this.#buffer.toString('utf8', this.#at, this.#at + length);
    this.skip(length);
    return text;
  }

  skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#buffer.length) throw new Error('The response of ClickHouse is truncated.');
  }

  /** A copy, since typed arrays begin at multiples of their width. */
  bytes(length: number): ArrayBuffer {
    const from = this.#at;
    this.skip(length);
    return new Uint8Array(this.#buffer.subarray(from, from + length)).buffer;
  }
}
