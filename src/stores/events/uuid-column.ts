import type { UuidColumn, UuidWords } from './event-store.ts';

export class UuidHalves implements UuidColumn {
  readonly words: UuidWords;

  constructor(words: UuidWords) {
    this.words = words;
  }

  #high(row: number): bigint {
    const { words, high, mask } = this.words;
    return (words[row * 2 + high] as bigint) ^ mask;
  }

  #low(row: number): bigint {
    const { words, high } = this.words;
    return words[row * 2 + 1 - high] as bigint;
  }

  textAt(row: number): string {
    const hex = (this.#high(row).toString(16).padStart(16, '0') + this.#low(row).toString(16).padStart(16, '0')).match(
      /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    );
    return (hex ?? []).slice(1).join('-');
  }

  compare(a: number, b: number): number {
    return order(this.#high(a), this.#high(b)) || order(this.#low(a), this.#low(b));
  }
}

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Several columns of one store as one; null for none. */
export function joinUuids(parts: readonly UuidWords[]): UuidColumn | null {
  const [first] = parts;
  if (first === undefined) return null;
  const words = new BigUint64Array(parts.reduce((sum, part) => sum + part.words.length, 0));
  let at = 0;
  for (const part of parts) {
    words.set(part.words, at);
    at += part.words.length;
  }
  return new UuidHalves({ ...first, words });
}
