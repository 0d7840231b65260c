/**
 * A list of ids as bytes: the bytes that all ids begin with once, the rest of each id, then the times as whole numbers of
 * as few bytes as they need. Times are rounded down to a unit, so that two bytes always suffice: a second if they are
 * within 18 hours, 4 minutes if they are within half a year. Units are powers of two and times are multiples of them: so
 * packing again, also with a larger unit, never adds up errors. Recent ids have exact times, in up to four bytes.
 */
import { type IdList, WORDS } from './id-list.ts';

const FORMAT = 1;
const ID_BYTES = 16;
const MAX_STEPS = 0xffff;
/** Of exact times: 49 days in ms. */
const MAX_EXACT_STEPS = 0xffffffff;
/** Of times of processing. */
const TIME_UNIT_MS = 1000;
/** Of waiting times: most events wait for less, and then it takes no space. */
const WAIT_UNIT_MS = 60_000;
const HEADER_BYTES = 6;
const COLUMN_HEADER_BYTES = 17;
const IDS_AT = HEADER_BYTES + 2 * COLUMN_HEADER_BYTES;

/** Numbers as `base + steps × unit`. */
interface PackedNumbers {
  base: number;
  unit: number;
  /** Bytes per number. */
  width: 0 | 1 | 2 | 4;
}

export function packIds(list: IdList, { isExact = false } = {}): Buffer {
  const measureAs = isExact ? measureExactly : measure;
  const times = measureAs(list.processedAt, TIME_UNIT_MS);
  const waits = measureAs(list.waited, WAIT_UNIT_MS);
  const prefix = sharedBytes(list);
  const size = ID_BYTES - prefix + times.width + waits.width;
  const packed = Buffer.alloc(IDS_AT + prefix + list.length * size);
  packed.writeUInt8(FORMAT, 0);
  packed.writeUInt8(prefix, 1);
  packed.writeUInt32LE(list.length, 2);
  writeColumnHeader(packed, HEADER_BYTES, times);
  writeColumnHeader(packed, HEADER_BYTES + COLUMN_HEADER_BYTES, waits);
  let at = writeIds(packed, IDS_AT, list, prefix);
  at = writeNumbers(packed, at, list.processedAt, times);
  writeNumbers(packed, at, list.waited, waits);
  return packed;
}

/** A packed list, of which only what is asked for is unpacked. */
export class PackedIds {
  readonly length: number;
  readonly #packed: Buffer;
  readonly #prefix: number;
  readonly #times: PackedNumbers;
  readonly #waits: PackedNumbers;

  constructor(bytes: Uint8Array) {
    const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (packed.readUInt8(0) !== FORMAT) throw new Error(`Ids of events are in the unknown format ${packed[0]}.`);
    this.#packed = packed;
    this.#prefix = packed.readUInt8(1);
    this.length = packed.readUInt32LE(2);
    this.#times = readColumnHeader(packed, HEADER_BYTES);
    this.#waits = readColumnHeader(packed, HEADER_BYTES + COLUMN_HEADER_BYTES);
  }

  /** A time may be up to this much later than it says. */
  get timeUnit(): number {
    return this.#times.unit;
  }

  get #timesAt(): number {
    return IDS_AT + this.#prefix + this.length * (ID_BYTES - this.#prefix);
  }

  get #waitsAt(): number {
    return this.#timesAt + this.length * this.#times.width;
  }

  unpack(): IdList {
    return {
      length: this.length,
      words: readIds(this.#packed, IDS_AT, this.length, this.#prefix),
      processedAt: readNumbers(this.#packed, this.#timesAt, this.length, this.#times),
      waited: readNumbers(this.#packed, this.#waitsAt, this.length, this.#waits),
    };
  }

  /** The times of an id; null if it is not in the list. */
  find(uuid: string): { processedAt: number; receivedAt: number } | null {
    const id = Buffer.from(uuid.replaceAll('-', ''), 'hex');
    if (this.#packed.compare(id, 0, this.#prefix, IDS_AT, IDS_AT + this.#prefix) !== 0) return null;
    const at = this.#positionOf(id);
    if (at === null) return null;
    const processedAt = numberAt(this.#packed, this.#timesAt, at, this.#times);
    return { processedAt, receivedAt: processedAt - numberAt(this.#packed, this.#waitsAt, at, this.#waits) };
  }

  #positionOf(id: Buffer): number | null {
    const size = ID_BYTES - this.#prefix;
    let [low, high] = [0, this.length - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const at = IDS_AT + this.#prefix + middle * size;
      const order = this.#packed.compare(id, this.#prefix, ID_BYTES, at, at + size);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return null;
  }
}

function rangeOf(numbers: Float64Array): [least: number, greatest: number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return [least, greatest];
}

/** Times that are too far apart are rounded after all. */
function measureExactly(numbers: Float64Array, otherwiseUnit: number): PackedNumbers {
  const [least, greatest] = rangeOf(numbers);
  const steps = greatest - least;
  if (steps > MAX_EXACT_STEPS) return measure(numbers, otherwiseUnit);
  return { base: least, unit: 1, width: steps === 0 ? 0 : steps <= 0xff ? 1 : steps <= MAX_STEPS ? 2 : 4 };
}

function measure(numbers: Float64Array, smallestUnit: number): PackedNumbers {
  const [least, greatest] = rangeOf(numbers);
  let unit = smallestUnit;
  const baseOf = (): number => Math.floor(least / unit) * unit;
  while ((greatest - baseOf()) / unit > MAX_STEPS) unit *= 2;
  const steps = Math.floor((greatest - baseOf()) / unit);
  return { base: baseOf(), unit, width: steps === 0 ? 0 : steps <= 0xff ? 1 : 2 };
}

/** How many bytes the first and the last id share at their beginning. */
function sharedBytes({ words, length }: IdList): number {
  const last = (length - 1) * WORDS;
  for (let word = 0; word < WORDS; word++) {
    const different = ((words[word] as number) ^ (words[last + word] as number)) >>> 0;
    if (different !== 0) return word * 4 + (Math.clz32(different) >>> 3);
  }
  return ID_BYTES;
}

const byteAt = (words: Uint32Array, id: number, byte: number): number =>
  ((words[id * WORDS + (byte >>> 2)] as number) >>> (24 - 8 * (byte & 3))) & 0xff;

function writeIds(packed: Buffer, at: number, { words, length }: IdList, prefix: number): number {
  let end = at;
  for (let byte = 0; byte < prefix; byte++) packed[end++] = byteAt(words, 0, byte);
  for (let id = 0; id < length; id++) {
    for (let byte = prefix; byte < ID_BYTES; byte++) packed[end++] = byteAt(words, id, byte);
  }
  return end;
}

function readIds(packed: Buffer, at: number, length: number, prefix: number): Uint32Array {
  const words = new Uint32Array(length * WORDS);
  let next = at + prefix;
  for (let id = 0; id < length; id++) {
    for (let word = 0; word < WORDS; word++) {
      let value = 0;
      for (let byte = word * 4; byte < word * 4 + 4; byte++) {
        value = (value << 8) | (packed[byte < prefix ? at + byte : next++] as number);
      }
      words[id * WORDS + word] = value;
    }
  }
  return words;
}

function writeColumnHeader(packed: Buffer, at: number, { base, unit, width }: PackedNumbers): void {
  packed.writeDoubleLE(base, at);
  packed.writeDoubleLE(unit, at + 8);
  packed.writeUInt8(width, at + 16);
}

const readColumnHeader = (packed: Buffer, at: number): PackedNumbers => ({
  base: packed.readDoubleLE(at),
  unit: packed.readDoubleLE(at + 8),
  width: packed.readUInt8(at + 16) as PackedNumbers['width'],
});

function writeNumbers(packed: Buffer, at: number, numbers: Float64Array, { base, unit, width }: PackedNumbers): number {
  let end = at;
  for (let i = 0; width > 0 && i < numbers.length; i++) {
    const steps = Math.floor(((numbers[i] as number) - base) / unit);
    for (let byte = 0; byte < width; byte++) packed[end++] = steps >>> (8 * byte);
  }
  return end;
}

function readNumbers(packed: Buffer, at: number, length: number, column: PackedNumbers): Float64Array {
  const numbers = new Float64Array(length);
  for (let i = 0; i < length; i++) numbers[i] = numberAt(packed, at, i, column);
  return numbers;
}

function numberAt(packed: Buffer, at: number, i: number, { base, unit, width }: PackedNumbers): number {
  let steps = 0;
  for (let byte = at + (i + 1) * width - 1; byte >= at + i * width; byte--)
    steps = steps * 256 + (packed[byte] as number);
  return base + steps * unit;
}
