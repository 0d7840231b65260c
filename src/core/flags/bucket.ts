import { hash } from 'node:crypto';
import { makeShortSha1 } from './short-sha1.ts';

/** What stands before the identifier: a flag's key and a dot, or `holdout-`. */
export interface Seed {
  text: string;
  bytes: Uint8Array;
}

export const seedOf = (text: string): Seed => ({ text, bytes: Buffer.from(text) });

/** The largest number of 15 hexadecimal digits, 2 ** 60 - 1, as a double has it. */
const SCALE = 2 ** 60;

const shortSha1 = makeShortSha1();

/**
 * Where an identifier falls in [0, 1]: the first 60 bits of SHA-1 over `<seed><identifier><salt>`, as every SDK of this
 * wire computes them.
 */
export function bucket({ text, bytes }: Seed, identifier: string, salt: string): number {
  const bits = shortSha1(bytes, identifier, salt);
  if (bits >= 0) return bits / SCALE;
  return Number.parseInt(hash('sha1', text + identifier + salt, 'hex').slice(0, 15), 16) / SCALE;
}
