import { hex4 } from '../../../core/events/uuid.ts';

/**
 * Ids of one project's events in ascending order, as columns, since there are thousands of them in a block. An id is four
 * 32-bit words, the first one most significant: this compares, hashes and copies faster than text or bytes.
 */
export interface IdList {
  readonly length: number;
  readonly words: Uint32Array;
  /** When each event was processed, ms. */
  readonly processedAt: Float64Array;
  /** How long before that it was received, ms. */
  readonly waited: Float64Array;
}

export interface ListedId {
  uuid: string;
  receivedAt: number;
  processedAt: number;
}

export const WORDS = 4;

const emptyList = (length: number): IdList => ({
  length,
  words: new Uint32Array(length * WORDS),
  processedAt: new Float64Array(length),
  waited: new Float64Array(length),
});

/** `ids` are different from each other, in any order. */
export function toIdList(ids: readonly ListedId[]): IdList {
  const list = emptyList(ids.length);
  let isSorted = true;
  for (const [i, { uuid, receivedAt, processedAt }] of ids.entries()) {
    writeWords(uuid, list.words, i);
    list.processedAt[i] = processedAt;
    list.waited[i] = Math.max(0, processedAt - receivedAt);
    isSorted &&= i === 0 || compareWords(list.words, i - 1, list.words, i) < 0;
  }
  return isSorted ? list : sortIds(list);
}

function sortIds(list: IdList): IdList {
  const { words, length } = list;
  const order = Uint32Array.from({ length }, (_, i) => i).sort((a, b) => compareWords(words, a, words, b));
  const sorted = emptyList(length);
  for (let i = 0; i < length; i++) copyId(list, order[i] as number, sorted, i);
  return sorted;
}

export function sliceIds(list: IdList, from: number, to: number): IdList {
  return {
    length: to - from,
    words: list.words.subarray(from * WORDS, to * WORDS),
    processedAt: list.processedAt.subarray(from, to),
    waited: list.waited.subarray(from, to),
  };
}

/** An id that is in both is taken once. */
export function mergeIds(a: IdList, b: IdList): IdList {
  if (isBefore(a, b)) return concatIds(a, b);
  if (isBefore(b, a)) return concatIds(b, a);
  const merged = emptyList(a.length + b.length);
  let [i, j, length] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const order = i === a.length ? 1 : j === b.length ? -1 : compareWords(a.words, i, b.words, j);
    if (order <= 0) copyId(a, i++, merged, length++);
    else copyId(b, j++, merged, length++);
    if (order === 0) j++;
  }
  return sliceIds(merged, 0, length);
}

/** Time-ordered ids of two chunks mostly are. */
const isBefore = (a: IdList, b: IdList): boolean =>
  a.length === 0 || b.length === 0 || compareWords(a.words, a.length - 1, b.words, 0) < 0;

function concatIds(a: IdList, b: IdList): IdList {
  const both = emptyList(a.length + b.length);
  for (const [list, at] of [
    [a, 0],
    [b, a.length],
  ] as const) {
    both.words.set(list.words, at * WORDS);
    both.processedAt.set(list.processedAt, at);
    both.waited.set(list.waited, at);
  }
  return both;
}

export function filterIds(list: IdList, isKept: (index: number) => boolean): IdList {
  const kept = emptyList(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) if (isKept(i)) copyId(list, i, kept, length++);
  return sliceIds(kept, 0, length);
}

function copyId(from: IdList, i: number, to: IdList, j: number): void {
  for (let word = 0; word < WORDS; word++) to.words[j * WORDS + word] = from.words[i * WORDS + word] as number;
  to.processedAt[j] = from.processedAt[i] as number;
  to.waited[j] = from.waited[i] as number;
}

function compareWords(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  for (let word = 0; word < WORDS; word++) {
    const difference = (a[i * WORDS + word] as number) - (b[j * WORDS + word] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The first position whose id is after `uuid`. */
export function positionAfter(list: IdList, uuid: string): number {
  const wanted = wordsOf(uuid);
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(list.words, middle, wanted, 0) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wordsOf(uuid: string): Uint32Array {
  const words = new Uint32Array(WORDS);
  writeWords(uuid, words, 0);
  return words;
}

/** `uuid` has hyphens. */
export function writeWords(uuid: string, words: Uint32Array, at: number): void {
  const word = at * WORDS;
  words[word] = (hex4(uuid, 0) << 16) | hex4(uuid, 4);
  words[word + 1] = (hex4(uuid, 9) << 16) | hex4(uuid, 14);
  words[word + 2] = (hex4(uuid, 19) << 16) | hex4(uuid, 24);
  words[word + 3] = (hex4(uuid, 28) << 16) | hex4(uuid, 32);
}

const DIGITS_PER_WORD = 8;

export function uuidAt({ words }: IdList, index: number): string {
  let hex = '';
  for (let word = 0; word < WORDS; word++) {
    hex += (words[index * WORDS + word] as number).toString(16).padStart(DIGITS_PER_WORD, '0');
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
