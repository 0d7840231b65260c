/**
 * A blocked Bloom filter: says of an id that it is not in a list, or that it may be. Twelve bits per id make it wrong
 * about one id in two hundred. All bits of an id are in the same 64 bytes, so that it takes one access to memory.
 */
import { type IdList, WORDS } from './id-list.ts';

const BITS_PER_ID = 12;
const LINE_BYTES = 64;
const LINE_BITS = LINE_BYTES * 8;
const PROBES = 7;

export function buildFilter({ words, length }: IdList): Uint8Array {
  const filter = new Uint8Array(Math.ceil((length * BITS_PER_ID) / LINE_BITS) * LINE_BYTES);
  for (let id = 0; id < length; id++) {
    const bits = hashId(words, id, BIT_SEED);
    const line = lineOf(filter, hashId(words, id, LINE_SEED));
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(bits, probe);
      const byte = line + (bit >>> 3);
      filter[byte] = (filter[byte] as number) | (1 << (bit & 7));
    }
  }
  return filter;
}

export function mayContain(filter: Uint8Array, words: Uint32Array, id: number): boolean {
  const bits = hashId(words, id, BIT_SEED);
  const line = lineOf(filter, hashId(words, id, LINE_SEED));
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = bitOf(bits, probe);
    if (((filter[line + (bit >>> 3)] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

const lineOf = (filter: Uint8Array, hashed: number): number =>
  Math.floor((hashed / 2 ** 32) * (filter.length / LINE_BYTES)) * LINE_BYTES;

/** The first bit, and an odd distance between bits, from different parts of the hash. */
const bitOf = (hashed: number, probe: number): number => (hashed + probe * ((hashed >>> 9) | 1)) & (LINE_BITS - 1);

const LINE_SEED = 0;
const BIT_SEED = 0x9747b28c;

/** MurmurHash3 for 32 bits. */
export function hashId(words: Uint32Array, id: number, seed: number): number {
  let h = seed;
  for (let word = id * WORDS; word < id * WORDS + WORDS; word++) {
    let k = Math.imul(words[word] as number, 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    h ^= k;
    h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
