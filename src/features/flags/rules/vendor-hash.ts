/**
 * The hash functions of other products, for imported flags that keep their people: each puts an identifier into one of
 * `of` equal parts. They are the products' own, so that nobody changes sides by being moved.
 */
import { hash } from 'node:crypto';

export const VENDOR_HASHES = [
  'unleash',
  'unleash_variant',
  'growthbook_1',
  'growthbook_2',
  'launchdarkly',
  'flagd',
] as const;
export type VendorHash = (typeof VENDOR_HASHES)[number];

export const isVendorHash = (value: unknown): value is VendorHash => VENDOR_HASHES.some((name) => name === value);

/** Unleash hashes variants with another seed than percentages, so that the one does not follow from the other. */
const UNLEASH_VARIANT_SEED = 86_028_157;
/** The largest number of 15 hexadecimal digits, as a double has it. */
const LAUNCHDARKLY_SCALE = 2 ** 60;

/** From 0 up to `of`: a whole number, but for LaunchDarkly's. */
export function vendorPosition(name: VendorHash, salt: string, identifier: string, of: number): number {
  switch (name) {
    case 'unleash':
      return murmur3(`${salt}:${identifier}`, 0) % of;
    case 'unleash_variant':
      return murmur3(`${salt}:${identifier}`, UNLEASH_VARIANT_SEED) % of;
    case 'flagd':
      return Number((BigInt(murmur3(salt + identifier, 0)) * BigInt(of)) >> 32n);
    case 'growthbook_1':
      return fnv1a(identifier + salt) % of;
    case 'growthbook_2':
      return fnv1a(String(fnv1a(salt + identifier))) % of;
    case 'launchdarkly': {
      const digits = hash('sha1', `${salt}.${identifier}`, 'hex').slice(0, 15);
      // The highest of all hashes is in the last part, not after it.
      return Math.min((Number.parseInt(digits, 16) / LAUNCHDARKLY_SCALE) * of, of - Number.EPSILON * of);
    }
  }
}

/** Of the lower byte of each UTF-16 code, as Unleash's SDK for Node does. */
function murmur3(text: string, seed: number): number {
  const byte = (at: number): number => text.charCodeAt(at) & 0xff;
  const end = text.length - (text.length % 4);
  let state = seed;
  for (let at = 0; at < end; at += 4) {
    state ^= scramble(byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24));
    state = (Math.imul(rotateLeft(state, 13), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = text.length - 1; at >= end; at--) rest = (rest << 8) | byte(at);
  if (end < text.length) state ^= scramble(rest);
  return finish(state ^ text.length);
}

const rotateLeft = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
const scramble = (block: number): number => Math.imul(rotateLeft(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);

function finish(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 32 bits, of UTF-16 codes instead of bytes, as GrowthBook's SDK does. */
function fnv1a(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}
