const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SIX_BITS = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) SIX_BITS[ALPHABET.charCodeAt(i)] = i;

/** Special codes; the dictionary begins after them. */
const NEW_8_BIT = 0;
const NEW_16_BIT = 1;
const END = 2;

/**
 * How long the text of an LZ-string in base64 will be, in UTF-16 units; undefined where it is damaged.
 *
 * A few kilobytes can expand to gigabytes, since each code may stand for one character more than the one before, and the
 * library has no limit. This reads the same codes but only adds up lengths, in linear time, and stops past `max`.
 */
export function measureLz(text: string, max: number): number | undefined {
  const bits = new BitReader(text);
  // The dictionary, by length: the three special codes and then what the codes stand for.
  const lengths: number[] = [0, 0, 0];
  let width = 2;
  let last = 0;
  let total = 0;
  while (!bits.isOver) {
    const code = bits.read(width);
    if (code === END) return total;
    const isNew = code === NEW_8_BIT || code === NEW_16_BIT;
    if (isNew) {
      bits.read(code === NEW_8_BIT ? 8 : 16);
      lengths.push(1);
    }
    // The code after the newest one is allowed: it stands for the last text and its own first letter.
    const length = isNew ? 1 : code === lengths.length ? last + 1 : lengths[code];
    if (length === undefined) return undefined;
    if (last > 0) lengths.push(last + 1);
    total += length;
    if (total > max) return total;
    last = length;
    width = widthFor(lengths.length);
  }
  return undefined;
}

/** Codes get a bit wider when the dictionary, with its next entry, outgrows the width. */
const widthFor = (size: number): number => 32 - Math.clz32(size);

class BitReader {
  isOver = false;
  readonly #text: string;
  #index = 0;
  #value = 0;
  #left = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next `count` bits; the first one read is the least significant. */
  read(count: number): number {
    let result = 0;
    for (let i = 0; i < count; i++) result |= this.#bit() << i;
    return result;
  }

  #bit(): number {
    if (this.#left === 0) this.#next();
    this.#left--;
    return (this.#value >> this.#left) & 1;
  }

  #next(): void {
    const six = SIX_BITS[this.#text.charCodeAt(this.#index)] ?? -1;
    this.#index++;
    this.isOver = six < 0;
    this.#value = Math.max(six, 0);
    this.#left = 6;
  }
}
